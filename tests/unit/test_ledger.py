from engine.ledger import Ledger, Stage, simple_ledger


def stage(epsilon: float, delta: float = 0.0) -> Stage:
    return Stage(
        name="counts",
        reads="visits",
        mechanism="Laplace",
        sensitivity=1.0,
        norm="L1",
        noise_scale=1 / epsilon,
        epsilon=epsilon,
        delta=delta,
    )


def test_simple_ledger_adds_shares_and_names_the_notion() -> None:
    pure = simple_ledger((stage(0.5), stage(0.25)), unit="one trip")
    assert pure.published_epsilon == pure.pure_epsilon == pure.proved_epsilon == 0.75
    assert (pure.delta, pure.proved_notion) == (0.0, "ε-DP")
    approximate = simple_ledger((stage(0.5), stage(0.25, 1e-6)), unit="one trip")
    assert (approximate.delta, approximate.proved_notion) == (1e-6, "(ε, δ)-DP")


def test_exceeding_is_beyond_rounding() -> None:
    ledger = simple_ledger((stage(0.1), stage(0.2)), unit="one trip")
    values = vars(ledger)
    assert not ledger.proved_exceeds_published
    assert not Ledger(**{**values, "published_epsilon": 0.3}).proved_exceeds_published
    assert Ledger(**{**values, "published_epsilon": 0.29}).proved_exceeds_published
