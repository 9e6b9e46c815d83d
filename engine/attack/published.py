"""What P2's classifiers reached, and what the same attack reaches with the control they lack.

The control's figures are those of ``docs/attack.md``, measured by ``python -m research attack``; a
test holds the two together.
"""

from dataclasses import dataclass
from typing import Literal

PUBLISHED_AREAS = (0.614, 0.643)
"""Least and largest mean AUC of P2's Table S1, over noise, classifiers and features."""


@dataclass(frozen=True, kw_only=True)
class ControlRow:
    """Mean AUC and its standard error on one kind of matrices.

    Attributes
    ----------
    matrices : str
        ``raw``, ``target removed``, or private at ``ε = 0.1``, ``0.5`` and ``1``.
    logistic, forest : tuple of float
        L1 logistic regression and random forest.
    """

    matrices: str
    logistic: tuple[float, float]
    forest: tuple[float, float]

    def text(self, classifier: Literal["logistic", "forest"]) -> str:
        """Return mean and standard error, as they are printed."""
        mean, error = self.logistic if classifier == "logistic" else self.forest
        return f"{mean:.3f} ± {error:.3f}"


RECORDED_CONTROL = (
    ControlRow(matrices="raw", logistic=(0.697, 0.014), forest=(0.712, 0.009)),
    ControlRow(matrices="target removed", logistic=(0.696, 0.014), forest=(0.712, 0.009)),
    ControlRow(matrices="ε = 0.1", logistic=(0.662, 0.011), forest=(0.711, 0.009)),
    ControlRow(matrices="ε = 0.5", logistic=(0.690, 0.012), forest=(0.709, 0.008)),
    ControlRow(matrices="ε = 1", logistic=(0.688, 0.017), forest=(0.711, 0.008)),
)
"""Simulated people whose travel days follow their zone's rhythm."""
