"""P2's attack (Table S1) on one's own data, with the control that P2 lacks.

A classifier is trained on the daily matrices of a person's past days in and out of the data. It is
run on the matrices as they are and once more on those from which the person's own trips have been
taken out: what it still tells apart then is the kind of day on which people like that one travel,
and no membership. `engine.attack` has the best possible attack, exactly.

Everything here reads people: results are for the data's custodians. scikit-learn is of the extra
``attack``.
"""

from .comparison import Row, Target, control

__all__ = ["Row", "Target", "control"]
