"""Types of arrays; shapes, units and ranges stand where they are used."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Complex = NDArray[np.complex128]
Float32s = NDArray[np.float32]
Geometries = NDArray[np.object_]
Numbers = Floats | Integers
IntegersOrFloats = NDArray[Any]
