"""What a release of the method `zoom` costs: one Gaussian mechanism, exactly its ε."""

import math

from ...datasets.zoomtables import CITY_CLIPS_SQUARED, CLIP_SQUARED, SUM_SHARE
from ...ledger import Kind, Ledger, Noise, Norm, Notion, Stage, Unit
from ...parameters import DensityParameters
from ..gaussian import gaussian_strength
from .measure import DEFAULTS, TABLES, noise_scale

_KINDS = (Kind.ZOOM_TOWERS, Kind.ZOOM_DISTRICTS, Kind.ZOOM_CITY, Kind.ZOOM_WEEKS, Kind.ZOOM_VISITS)


def strengths_of(visits: int, parameters: DensityParameters, max_visits_cap: int) -> list[float]:
    """Return what each table says at worst of a person with so many visits, as Δ₂/σ.

    In the order of `TABLES`. His row is at most min(c·t, √visits) among towers × hours, where each
    visit has a cell of its own, and min(c·t, visits) elsewhere, for any c of the city's table, with
    t² = 1 − (63/64)·(visits/K_max)².

    Examples
    --------
    >>> parameters = DensityParameters(epsilon=1.0, method="zoom")
    >>> sizes = strengths_of(840, parameters, 840)
    >>> round(math.hypot(*sizes) / gaussian_strength(1.0, parameters.delta), 12)
    1.0
    """
    strength = gaussian_strength(parameters.epsilon, parameters.delta)
    room = math.sqrt(CLIP_SQUARED * (1 - SUM_SHARE * (visits / max_visits_cap) ** 2))
    rows = (min(room, math.sqrt(visits)), *[min(room, visits)] * 3, visits)
    clips = (*[math.sqrt(CLIP_SQUARED)] * 4, max_visits_cap)
    sigmas = (noise_scale(*one, strength, DEFAULTS) for one in zip(TABLES, clips, strict=True))
    return [row / sigma for row, sigma in zip(rows, sigmas, strict=True)]


def zoom_ledger(
    parameters: DensityParameters,
    *,
    max_visits_cap: int,
    city_clip: float | None = None,
    **_public: object,
) -> Ledger:
    """Return one stage for each table and one total: published = proved = ε at δ.

    A stage's share is its part of μ² of most people, as a part of ε and δ. The tables are spent
    together: the parts add up to ε, but no part is the table's own ε. The sum of visits tells of
    those with many visits, and takes from them what it costs: beyond the others it costs nothing.
    The city's clip is chosen from the noisy visits; before there are any (None) the largest is the
    bound, without a noise scale.
    """
    strength, root = gaussian_strength(parameters.epsilon, parameters.delta), CLIP_SQUARED**0.5
    clips = (root, root, city_clip or CITY_CLIPS_SQUARED[-1] ** 0.5, root, float(max_visits_cap))
    scales: list[float | None] = [
        noise_scale(*one, strength, DEFAULTS) for one in zip(TABLES, clips, strict=True)
    ]
    if not city_clip:
        scales[TABLES.index("city")] = None
    shares = (*DEFAULTS.shares, 0.0)
    epsilon, delta = parameters.epsilon, parameters.delta
    return Ledger(
        stages=tuple(
            Stage(kind, Noise.SHARED_GAUSSIAN, clip, Norm.L2, scale, share * epsilon, share * delta)
            for kind, clip, scale, share in zip(_KINDS, clips, scales, shares, strict=True)
        ),
        published_epsilon=epsilon,
        pure_epsilon=epsilon,
        proved_epsilon=epsilon,
        delta=delta,
        published_notion=Notion.APPROXIMATE,
        pure_notion=Notion.APPROXIMATE,
        proved_notion=Notion.APPROXIMATE,
        unit=Unit.PERSON_WEEK,
    )
