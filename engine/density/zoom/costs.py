"""What a release of the method `zoom` costs: one Gaussian mechanism, exactly its ε."""

import math

from ...datasets.zoomtables import CITY_CLIPS_SQUARED, CLIP_SQUARED, visit_caps
from ...ledger import Kind, Ledger, Noise, Norm, Notion, Stage, Unit
from ...parameters import DensityParameters
from ..gaussian import gaussian_strength
from .measure import DEFAULTS, TABLES, noise_scale

_KINDS = {
    "towers": Kind.ZOOM_TOWERS,
    "districts": Kind.ZOOM_DISTRICTS,
    "city": Kind.ZOOM_CITY,
    "weeks": Kind.ZOOM_WEEKS,
    "visits": Kind.ZOOM_VISITS,
}


def strengths_of(visits: int, parameters: DensityParameters, max_visits_cap: int) -> list[float]:
    """Return what each table says at worst of a person with so many visits, as Δ₂/σ.

    In the order of `TABLES`. His row is at most min(c, √visits) among towers × hours, where each
    visit has a cell of its own, and min(c, visits) elsewhere, for any c of the city's table.

    Examples
    --------
    >>> parameters = DensityParameters(epsilon=1.0, method="zoom")
    >>> sizes = strengths_of(840, parameters, 840)
    >>> round(math.hypot(*sizes) / gaussian_strength(1.0, parameters.delta), 12)
    1.0
    """
    strength = gaussian_strength(parameters.epsilon, parameters.delta)
    root = math.sqrt(CLIP_SQUARED)
    sizes: list[float] = []
    for name in TABLES:
        if name == "visits":
            caps = visit_caps(max_visits_cap).tolist()
            parts = [min(visits, cap) / noise_scale(name, cap, strength, DEFAULTS) for cap in caps]
            sizes.append(math.hypot(*parts))
        else:
            change = math.sqrt(visits) if name == "towers" else visits
            sizes.append(min(root, change) / noise_scale(name, root, strength, DEFAULTS))
    return sizes


def zoom_ledger(
    parameters: DensityParameters,
    *,
    max_visits_cap: int,
    city_clip: float | None = None,
    **_public: object,
) -> Ledger:
    """Return one stage for each table and one total: published = proved = ε at δ.

    A stage's share is its part of μ², as a part of ε and δ. The tables are spent together: the
    parts add up to ε, but no part is the table's own ε.

    Parameters
    ----------
    max_visits_cap : int
        K_max, the public bound on a person's visits.
    city_clip : float or None
        Clip of the city's table as chosen from the noisy visits; None before there are any, with
        the largest one as the bound and no noise scale.
    """
    strength = gaussian_strength(parameters.epsilon, parameters.delta)
    largest = math.sqrt(CITY_CLIPS_SQUARED[-1])
    clips = {"city": city_clip or largest, "visits": float(max_visits_cap)}
    root = math.sqrt(CLIP_SQUARED)
    known = {name: name != "city" or city_clip is not None for name in TABLES}
    return Ledger(
        stages=tuple(
            Stage(
                kind=_KINDS[name],
                noise=Noise.SHARED_GAUSSIAN,
                sensitivity=(clip := clips.get(name, root)),
                norm=Norm.L2,
                noise_scale=noise_scale(name, clip, strength, DEFAULTS) if known[name] else None,
                epsilon=share * parameters.epsilon,
                delta=share * parameters.delta,
            )
            for name, share in zip(TABLES, DEFAULTS.shares, strict=True)
        ),
        published_epsilon=parameters.epsilon,
        pure_epsilon=parameters.epsilon,
        proved_epsilon=parameters.epsilon,
        delta=parameters.delta,
        published_notion=Notion.APPROXIMATE,
        pure_notion=Notion.APPROXIMATE,
        proved_notion=Notion.APPROXIMATE,
        unit=Unit.PERSON_WEEK,
    )
