"""Release of a week's density: whole counts of towers with discrete Laplace noise, mapped to zones.

The Fourier methods add noise to real numbers and choose with floating-point weights; they stay in
exploration. Here each tower and hour is a whole count of pre-sampled visits, at most ℓ a person.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from engine import validation
from engine.arrays import Floats, Integers
from engine.datasets import Dataset
from engine.parameters import EPSILON_RANGE, HOURS_PER_WEEK, MAX_VISITS_LIMIT
from engine.release import cautions, noise, outlook
from engine.release.intact import COUNT, HOUR, VISIT_RANK, require_intact, require_zones
from engine.release.plan import (
    Accuracy,
    Frame,
    Outlook,
    Plan,
    Progress,
    Stage,
    laplace_proof,
    laplace_sd,
    normal_bar,
    safe_scale,
)
from engine.release.tables import CsvTable, neutral, write_zones

_WEEK_ROOT = float(np.sqrt(HOURS_PER_WEEK))
"""By how much a week's noise deviates more than an hour's."""


@dataclass(frozen=True, kw_only=True)
class DensityProduct:
    """Visits by zone and hour of the declared week; one person, the whole week.

    Parameters
    ----------
    epsilon : float
        Total privacy loss.
    max_visits_per_user : int
        ℓ, visits kept per person (one an hour), 1 to 168.
    """

    epsilon: float
    max_visits_per_user: int = 30

    def __post_init__(self) -> None:
        validation.finite_within("epsilon", self.epsilon, EPSILON_RANGE, "0.1 to 2 is usual")
        validation.whole_number(
            "max_visits_per_user",
            self.max_visits_per_user,
            1,
            MAX_VISITS_LIMIT,
            remedy="30 is usual",
        )

    def plan(self, dataset: Dataset, /) -> Plan:
        """Return what a release will hold and cost; reads geometry and metadata alone."""
        limit = self.max_visits_per_user
        towers, zones = len(dataset.towers), len(dataset.zones)
        scale = safe_scale(limit, self.epsilon)
        sd = laplace_sd(scale) * float(np.sqrt(np.median(zone_variances(dataset))))
        hour, whole = (float(whole_bars(np.array(sd * root))) for root in (1, _WEEK_ROOT))
        raised = sd / np.sqrt(2 * np.pi)  # E max(Z, 0), Z near normal
        week = dataset.metadata.week
        return Plan(
            product="density",
            title="Density of visits over one week",
            unit="person",
            epsilon=self.epsilon,
            days=7,
            contribution=f"at most {limit} visits of a person in the week, one an hour, at random",
            sensitivity=limit,
            mechanism="discrete Laplace on whole counts",
            scale=scale,
            proof=laplace_proof(limit, scale, self.epsilon),
            cells=towers * HOURS_PER_WEEK,
            cells_words=f"{towers} towers × {HOURS_PER_WEEK} hours, mapped to {zones} zones by "
            "area",
            settings={
                "method": "towers with discrete Laplace noise",
                "max_visits_per_user": limit,
                "week": None if week is None else week.isoformat(),
            },
            stages=(
                Stage(
                    name="visits by tower and hour",
                    noise="discrete Laplace",
                    sensitivity=limit,
                    norm="L₁",
                    scale=scale,
                    epsilon=self.epsilon,
                ),
            ),
            composition="one mechanism",
            frame=Frame.of(dataset.metadata),
            bars="those that end in low_90 and high_90",
            kept=f"the kept visits: at most {limit} of a person in the week, one an hour, mapped "
            "to zones by area",
            beyond="The number of all visits is higher. What trimming takes is not in the bar and "
            "cannot be told from this release.",
            accuracy=(
                Accuracy(what="a zone in one hour (median zone)", size=None, half_width=hour),
                Accuracy(
                    what="a zone over the week (median zone)",
                    size=None,
                    half_width=whole,
                ),
            ),
            bias=(
                f"Visits beyond {limit} a person are not counted, and of several in one hour "
                "one is: counts are of kept visits and are not scaled up.",
                "Zone counts are shares of towers' noisy counts, rounded to whole numbers.",
                "Negative counts are set to 0: sums over the hours of density.csv are too high "
                "where few visits are. A zone and hour without a visit reads about "
                f"{raised:.3g} on average (median zone). Weekly sums in zones.geojson and "
                "zones.parquet were taken before that and have no such bias; they can be negative.",
            ),
            warnings=(
                *cautions.raised_to_zero(
                    raised, "a zone and hour", "Take weekly sums from zones.parquet."
                ),
                *cautions.zone_totals(whole, 1, "visits"),
            ),
        )

    def outlook(self, dataset: Dataset, /) -> tuple[Outlook, ...]:
        """Return what its numbers can be used for by the law of the noise alone."""
        variances = zone_variances(dataset)
        median = int(np.argsort(variances, kind="stable")[len(variances) // 2])
        shares = dataset.tessellation.overlap[:, [median]].toarray().ravel()
        scale = safe_scale(self.max_visits_per_user, self.epsilon)
        hour = "a zone's hour (median zone)"
        return (outlook.of_shares(hour, "an hour without visits", scale, shares[shares > 0]),)

    def prepare(self, dataset: Dataset, /) -> None:
        """Read the visits that will be counted, and check what counting looks up."""
        require_zones(dataset)
        dataset.presampled_by_tower(self.max_visits_per_user)
        limits = {"hour": HOUR, "rank": VISIT_RANK, "n": COUNT}
        require_intact(dataset, "presampled", limits)

    def write(self, dataset: Dataset, folder: Path, progress: Progress, /) -> None:
        """Draw the noise of every tower and hour once and write zones by hour."""
        scale = safe_scale(self.max_visits_per_user, self.epsilon)
        kept = dataset.presampled_by_tower(self.max_visits_per_user)
        noisy = noise.discrete_laplace(kept, scale)
        progress(0.6)
        mapped = dataset.tessellation.overlap.T @ noisy.astype(np.float64)
        counts = np.maximum(np.floor(mapped + 0.5), 0).astype(np.int64)
        deviations = laplace_sd(scale) * np.sqrt(zone_variances(dataset))
        bars, bar_week = whole_bars(deviations), whole_bars(deviations * _WEEK_ROOT)
        zones = len(dataset.zones)
        ids = pa.array([neutral(one) for one in dataset.zones["zone_id"]])
        columns = {
            "zone_id": pa.string(),
            "hour": pa.int64(),
            "visits": pa.int64(),
            "low_90": pa.int64(),
            "high_90": pa.int64(),
        }
        with CsvTable(folder / "density.csv", columns) as table:
            flat = counts.ravel()
            bar = np.repeat(bars, HOURS_PER_WEEK)
            table.add(
                ids.take(pa.array(np.repeat(np.arange(zones), HOURS_PER_WEEK))),
                np.tile(np.arange(HOURS_PER_WEEK), zones),
                flat,
                np.maximum(flat - bar, 0),
                flat + bar,
            )
        week = np.floor(mapped.sum(axis=1) + 0.5).astype(np.int64)
        write_zones(
            dataset.zones,
            {"visits": week, "visits_low_90": week - bar_week, "visits_high_90": week + bar_week},
            folder,
        )
        progress(1.0)


def whole_bars(deviations: Floats) -> Integers:
    """Return the bars around sums of shares of noisy counts that are rounded to whole numbers.

    Rounding takes up to a half more than the noise: without it the bars of small noise, such as
    scale 0.5, hold in 80% of releases only.

    Examples
    --------
    >>> whole_bars(np.array([0.3, 0.4, 10.0]))
    array([ 1,  2, 17])
    """
    return np.ceil(normal_bar(1.0) * deviations + 0.5).astype(np.int64)


def zone_variances(dataset: Dataset) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Return Σ_j F[j, L]² of every zone: by how much towers' noise variances add up in it."""
    overlap = dataset.tessellation.overlap
    return np.asarray(overlap.multiply(overlap).sum(axis=0), dtype=np.float64).ravel()
