from engine.privacy_cost import (
    Noise,
    Norm,
    PrivacyDefinition,
    PrivacyUnit,
    Query,
    Stage,
    is_above,
    simple_cost,
)


def stage(epsilon: float, delta: float = 0.0) -> Stage:
    return Stage(
        query=Query.FLOWS,
        noise=Noise.LAPLACE,
        sensitivity=1.0,
        norm=Norm.L1,
        noise_scale=1 / epsilon,
        epsilon=epsilon,
        delta=delta,
    )


def test_simple_ledger_adds_shares_and_names_the_notion() -> None:
    pure = simple_cost((stage(0.5), stage(0.25)), unit=PrivacyUnit.TRIP)
    assert pure.paper_epsilon == pure.composed_epsilon == pure.proved_epsilon == 0.75
    assert (pure.delta, pure.proved_definition) == (0.0, PrivacyDefinition.PURE)
    approximate = simple_cost((stage(0.5), stage(0.25, 1e-6)), unit=PrivacyUnit.TRIP)
    assert (approximate.delta, approximate.proved_definition) == (
        1e-6,
        PrivacyDefinition.APPROXIMATE,
    )


def test_exceeding_is_beyond_rounding() -> None:
    ledger = simple_cost((stage(0.1), stage(0.2)), unit=PrivacyUnit.TRIP)
    assert not is_above(ledger.proved_epsilon, ledger.paper_epsilon)
    assert not is_above(ledger.proved_epsilon, 0.3)
    assert is_above(ledger.proved_epsilon, 0.29)
