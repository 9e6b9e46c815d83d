"""What a release of the method `zoom` costs: one Gaussian mechanism, exactly its ε."""

import math

from ...datasets.zoomtables import USUAL, ZoomClips
from ...ledger import Kind, Ledger, Noise, Norm, Notion, Stage, Unit
from ...parameters import DensityParameters
from ..gaussian import gaussian_strength
from .measure import noise_scale, shares_of, visits_scale

_KINDS = (Kind.ZOOM_TOWERS, Kind.ZOOM_DISTRICTS, Kind.ZOOM_CITY, Kind.ZOOM_WEEKS)


def strengths_of(
    visits: int, parameters: DensityParameters, max_visits_cap: int, clips: ZoomClips = USUAL
) -> list[float]:
    """Return what each table says at worst of a person with so many visits, as Δ₂/σ.

    His row is at most min(c·t, √visits) among towers × hours, where each visit has a cell of its
    own, and min(c·t, visits) elsewhere, for any c of the city's table, with
    t² = 1 − s·(visits/K_max)².

    Examples
    --------
    >>> parameters = DensityParameters(epsilon=1.0, method="zoom")
    >>> sizes = strengths_of(840, parameters, 840)
    >>> round(math.hypot(*sizes) / gaussian_strength(1.0, parameters.delta), 12)
    1.0
    """
    strength = gaussian_strength(parameters.epsilon, parameters.delta)
    room = math.sqrt(clips.squared * (1 - clips.sum_share * (visits / max_visits_cap) ** 2))
    rows = (min(room, math.sqrt(visits)), *[min(room, visits)] * 3)
    clip = math.sqrt(clips.squared)
    named = zip(shares_of(clips), rows, strict=True)
    sizes = [row / noise_scale(name, clip, strength, clips) for name, row in named]
    return [*sizes, visits / visits_scale(max_visits_cap, strength, clips)]


def zoom_ledger(
    parameters: DensityParameters,
    *,
    max_visits_cap: int,
    clips: ZoomClips = USUAL,
    city_clip: float | None = None,
    **_public: object,
) -> Ledger:
    """Return one stage for each table and one total: published = proved = ε at δ.

    A stage's share is its part of μ² of most people, as a part of ε and δ; no part is the table's
    own ε. The sum of visits takes what it costs from those with many. Before a release has chosen
    the city's clip the largest is the bound, without a noise scale.
    """
    epsilon, delta = parameters.epsilon, parameters.delta
    strength, root = gaussian_strength(epsilon, delta), math.sqrt(clips.squared)

    def stage(kind: Kind, clip: float, scale: float | None, share: float) -> Stage:
        law = (Noise.SHARED_GAUSSIAN, clip, Norm.L2, scale)
        return Stage(kind, *law, share * epsilon, share * delta)

    stages: list[Stage] = []
    for kind, (name, share) in zip(_KINDS, shares_of(clips).items(), strict=True):
        clip = (city_clip or math.sqrt(clips.city[-1])) if name == "city" else root
        known = name != "city" or city_clip
        stages.append(
            stage(kind, clip, noise_scale(name, clip, strength, clips) if known else None, share)
        )
    visits = visits_scale(max_visits_cap, strength, clips)
    return Ledger(
        stages=(*stages, stage(Kind.ZOOM_VISITS, float(max_visits_cap), visits, 0.0)),
        published_epsilon=epsilon,
        pure_epsilon=epsilon,
        proved_epsilon=epsilon,
        delta=delta,
        published_notion=Notion.APPROXIMATE,
        pure_notion=Notion.APPROXIMATE,
        proved_notion=Notion.APPROXIMATE,
        unit=Unit.PERSON_WEEK,
    )
