"""Names of the array types that the engine's signatures use."""

from numpy import bool_, float64, int64
from numpy.typing import NDArray

Floats = NDArray[float64]
Integers = NDArray[int64]
Booleans = NDArray[bool_]
