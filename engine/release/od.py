"""Release of origin–destination matrices: Algorithm 1 of P2 with whole-number noise."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from ..datasets import Dataset
from ..origin_destination.laws import NoiseLaw
from ..origin_destination.matrices import kept
from ..origin_destination.mechanism import algorithm_1
from ..parameters import ODParameters
from . import cautions, flows, noise
from .bars import holds_where_shown, of_counts
from .files import FLOWMAP
from .flows import Matrices, Matrix
from .plan import Accuracy, Days, Outlook, Plan, Progress, laplace_proof

_SIZES = (0, 1, 5, 10, 20, 50, 100, 1000)
_COLUMNS = {
    "flow": pa.int64(),
    "suppressed": pa.bool_(),
    "low_90": pa.int64(),
    "high_90": pa.int64(),
}


def plan(dataset: Dataset, parameters: ODParameters, days: Days) -> Plan:
    """Return what a release will hold and cost; reads geometry and metadata alone."""
    released = Matrices.of(dataset, parameters, days)
    scale, bar, least = released.scale, released.bar, parameters.least_shown
    law = NoiseLaw(1 / scale, "discrete_laplace")
    phantom = cautions.phantom_trips(law, least)
    return flows.planned(
        dataset,
        parameters,
        released,
        {
            "method": "published (Algorithm 1)",
            "max_trips_per_user": parameters.max_trips_per_user,
            "suppression_threshold": parameters.suppression_threshold,
        },
        product="od",
        title="Origin–destination matrices",
        proof=laplace_proof(parameters.max_trips_per_user, scale, parameters.epsilon),
        cells_words=released.words,
        composition="one mechanism",
        bars="low_90 and high_90",
        accuracy=(
            *(
                Accuracy(
                    what="a flow",
                    size=size,
                    half_width=bar,
                    shown=float(law.tail(least - size)),
                    holds=holds_where_shown(scale, bar, size, least),
                )
                for size in _SIZES
            ),
            Accuracy(
                what="all trips out of a zone (or into it), all released days",
                size=None,
                half_width=released.total_bar,
            ),
        ),
        bias=(
            f"Counts below {least} after noise are suppressed (empty). Sums over flows.csv are "
            "therefore wrong both ways: too low by the flows that are hidden, and too high by "
            "the noise of those that are shown, since suppression never shows negative noise. "
            f"A flow without a kept trip adds {phantom:.3g} trips on average. Zone totals in "
            "zones.geojson and zones.parquet are sums before suppression and have neither "
            "bias.",
            FLOWMAP,
            "Error bars hold nine times in ten for a flow picked in advance. A flow that is "
            f"looked at because it is shown was often lifted over {least} by its noise: near "
            f"{least} its bar holds less often, for a kept 0 least of all (last column of the "
            "table).",
            "Trips beyond the bound per person are not counted."
            if parameters.unit != "trip"
            else "Every trip is counted.",
            "Noise is a whole number: nothing is rounded.",
        ),
        warnings=(
            *cautions.shown_flows(law, least, bar, released.cells),
            *cautions.zone_totals(released.total_bar, least, "trips"),
        ),
    )


def outlook(dataset: Dataset, parameters: ODParameters, days: Days) -> tuple[Outlook, ...]:
    """Return what its numbers can be used for by the law of the noise alone."""
    scale = Matrices.of(dataset, parameters, days).scale
    return (of_counts("a flow", "an empty pair of zones", scale, parameters.least_shown),)


prepare = flows.prepare


def write(
    dataset: Dataset, parameters: ODParameters, days: Days, folder: Path, progress: Progress
) -> None:
    """Draw each day's noise once and write flows, zones and the flowmap tables."""
    released = Matrices.of(dataset, parameters, days)
    pairs, bar, summed = released.pairs, released.bar, parameters.unit == "person"
    sampler = partial(noise.discrete_laplace, scale=released.scale)

    def drawn() -> Iterator[Matrix]:
        for group in [released.days] if summed else [(day,) for day in released.days]:
            counts = kept(dataset, parameters, days=group, sum_days=summed)[0]
            noisy, shown = algorithm_1(counts[pairs], parameters, sampler)
            low, high = np.maximum(noisy - bar, 0), noisy + bar
            flow, low, high = (pa.array(each, mask=~shown) for each in (noisy, low, high))
            yield Matrix(noisy, (flow, ~shown, low, high))

    flows.write(dataset, released, drawn(), _COLUMNS, folder, progress)
