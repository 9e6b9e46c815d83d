"""What all views of one draw of our own method share."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.origin_destination.estimate import EstimateRelease
from engine.parameters import ODParameters
from pages._ui.cache.window import Window
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Seed


@dataclass(frozen=True, eq=False)
class View:
    """What the views of one draw share.

    Attributes
    ----------
    true : array, shape (zones, zones)
    release : EstimateRelease
        Of one matrix.
    published : array, shape (zones, zones)
        The published release on the same draw of the noise.
    """

    entry: Entry
    parameters: ODParameters
    seed: Seed
    window: Window
    true: NDArray[np.int64]
    release: EstimateRelease
    published: NDArray[np.int64]
