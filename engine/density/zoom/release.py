"""One release of the method `zoom`: measure, then read."""

from ...datasets import Dataset
from ...errors import ParameterError
from ...parameters import DensityParameters
from ..aggregates import tower_tree
from ..draws import DensityNoise
from ..gaussian import gaussian_strength
from ..mechanism import NOISE_EXCEEDS_DATA, DensityRelease
from .costs import zoom_ledger
from .measure import measure
from .reading import read


def zoom_release(
    dataset: Dataset, parameters: DensityParameters, noise: DensityNoise
) -> DensityRelease:
    """Measure the five tables once and read them; of the settings only ε and δ have a meaning."""
    tables = dataset.zoom_tables
    if noise.zoom is None or noise.zoom.towers.shape != tables.towers.shape:
        raise ParameterError(
            f"noise must be drawn for 'zoom' and {len(tables.towers)} towers",
            value="that of another method or dataset",
            remedy="draw it with DensityNoise.draw",
        )
    strength = gaussian_strength(parameters.epsilon, parameters.delta)
    noisy = measure(tables, strength, noise.zoom.add)
    reading = read(noisy, tower_tree(dataset))
    ledger = zoom_ledger(
        parameters,
        max_visits_cap=tables.max_visits_cap,
        clips=tables.clips,
        city_clip=noisy.city_clip,
    )
    return DensityRelease(
        parameters=parameters,
        counts=dataset.tessellation.overlap.T @ reading.by_tower,
        ledger=ledger,
        flags=() if reading.visits > 0 else (NOISE_EXCEEDS_DATA,),
        visits=reading.visits,
        reading=reading,
    )
