from engine.ledger import Kind, Noise, Norm, Notion, Stage, Unit, simple_ledger


def stage(epsilon: float, delta: float = 0.0) -> Stage:
    return Stage(
        kind=Kind.FLOWS,
        noise=Noise.LAPLACE,
        sensitivity=1.0,
        norm=Norm.L1,
        noise_scale=1 / epsilon,
        epsilon=epsilon,
        delta=delta,
    )


def test_simple_ledger_adds_shares_and_names_the_notion() -> None:
    pure = simple_ledger((stage(0.5), stage(0.25)), unit=Unit.TRIP)
    assert pure.published_epsilon == pure.pure_epsilon == pure.proved_epsilon == 0.75
    assert (pure.delta, pure.proved_notion) == (0.0, Notion.PURE)
    approximate = simple_ledger((stage(0.5), stage(0.25, 1e-6)), unit=Unit.TRIP)
    assert (approximate.delta, approximate.proved_notion) == (1e-6, Notion.APPROXIMATE)


def test_exceeding_is_beyond_rounding() -> None:
    ledger = simple_ledger((stage(0.1), stage(0.2)), unit=Unit.TRIP)
    assert not ledger.exceeds(ledger.published_epsilon)
    assert not ledger.exceeds(0.3)
    assert ledger.exceeds(0.29)


def test_every_kind_noise_and_unit_has_words_of_its_own() -> None:
    stages = [
        Stage(
            kind=kind, noise=noise, sensitivity=20, norm=Norm.L1, noise_scale=1.0, epsilon=1.0,
            subject="Trips",
        )
        for kind in Kind
        for noise in Noise
    ]  # fmt: skip
    assert len({stage.reads for stage in stages}) == len(Kind)
    assert len({stage.mechanism for stage in stages}) == len(Noise)
    assert len({unit.words for unit in Unit}) == len(Unit)
    assert all("{" not in stage.name + stage.reads and stage.name for stage in stages)
