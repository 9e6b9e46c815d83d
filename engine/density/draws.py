"""The noise of one density release, in units of its scales, so that it can be carried over.

The same `DensityNoise` under two settings is what makes a change on a slider the slider's own
(common random numbers), and what lets a slow reference be compared with the engine exactly.
"""

from dataclasses import dataclass, field

import numpy as np

from .. import noise
from ..arrays import Floats
from ..datasets import Dataset
from ..errors import ParameterError
from ..parameters import GAUSSIAN_METHODS, HOURS_PER_WEEK, DensityMethod
from .aggregates import tower_tree
from .zoom.measure import ZoomNoise


def _no_rows() -> Floats:
    return np.zeros((0, HOURS_PER_WEEK))


@dataclass(frozen=True, eq=False, kw_only=True)
class DensityNoise:
    """Standard variates of one release; scales are applied by the mechanism.

    What a method does not take is left empty.

    Attributes
    ----------
    histogram, visits, cell_totals : arrays, shapes (towers,), (), (cover,)
        Laplace, for H̃, K̂, and the cells' totals where the improved scaling is off.
    counts : array, shape (cells, 168)
        Gaussian for `efpag` and `efpag_joint`, Laplace otherwise. Cells are the cover's, or the
        zones or towers of the two naive methods.
    joint_choice, cluster_choice : arrays, shapes (168,), (cover, 168)
        Gumbel, for one choice of k or one in every cluster.
    zoom : ZoomNoise or None
        Gaussian, for the five tables of `zoom`, which takes nothing else.
    """

    histogram: Floats = field(default_factory=lambda: np.zeros(0))
    visits: float = 0.0
    cell_totals: Floats = field(default_factory=lambda: np.zeros(0))
    counts: Floats = field(default_factory=_no_rows)
    joint_choice: Floats = field(default_factory=lambda: np.zeros(HOURS_PER_WEEK))
    cluster_choice: Floats = field(default_factory=_no_rows)
    zoom: ZoomNoise | None = None

    @classmethod
    def draw(
        cls, rng: np.random.Generator, dataset: Dataset, method: DensityMethod
    ) -> "DensityNoise":
        """Draw the noise of `method`, in the order of the attributes above.

        The totals come first, because all methods draw them alike: from the same generator
        state `efpa` and `efpag` get the same totals and the same clusters at the same τ.
        """
        towers, cover = len(dataset.towers), dataset.tessellation.cover_size
        if method == "zoom":
            districts = int(tower_tree(dataset).districts.max()) + 1
            return cls(zoom=ZoomNoise.draw(rng, towers, districts))
        cells = {"zones_laplace": len(dataset.zones), "towers_laplace": towers}.get(method, cover)
        choices = cover if method in ("efpa", "efpag") else 0
        histogram = noise.laplace(rng, 1.0, towers)
        visits = float(noise.laplace(rng, 1.0, 1)[0])
        cell_totals = noise.laplace(rng, 1.0, cover)
        if method in GAUSSIAN_METHODS:
            counts = noise.standard_normal(rng, (cells, HOURS_PER_WEEK))
        else:
            counts = noise.laplace(rng, 1.0, (cells, HOURS_PER_WEEK))
        return cls(
            histogram=histogram,
            visits=visits,
            cell_totals=cell_totals,
            counts=counts,
            joint_choice=noise.standard_gumbel(rng, HOURS_PER_WEEK),
            cluster_choice=noise.standard_gumbel(rng, (choices, HOURS_PER_WEEK)),
        )

    def require(self, cells: int, choices: int) -> None:
        """Raise `ParameterError` unless the noise has the shape that the method needs."""
        if len(self.counts) != cells or len(self.cluster_choice) < choices:
            raise ParameterError(
                f"noise must have {cells} rows of counts and {choices} rows of choices",
                value=f"{len(self.counts)} and {len(self.cluster_choice)}",
                remedy="draw it for this dataset and this method with DensityNoise.draw",
            )
