"""From exploring to a release: one draw, a ledger that survives, a bundle a reader can trust.

This is the one package whose numbers leave the building. Its noise comes from OpenDP's whole-number
samplers, its costs go to a ledger before anything is drawn, and its files say what a reader must
know.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .cost import Cost, Loss, cost

if TYPE_CHECKING:
    from .bars import Outlook
    from .bundle import CONSENT, Stopped, check, fitting_epsilon, release
    from .ledger import Budget, BudgetLedger, Entry, ReleaseError
    from .plan import Plan
    from .products import Product
    from .statement import TUNING

__all__ = [
    "CONSENT",
    "TUNING",
    "Budget",
    "BudgetLedger",
    "Cost",
    "Entry",
    "Loss",
    "Outlook",
    "Plan",
    "Product",
    "ReleaseError",
    "Stopped",
    "check",
    "cost",
    "fitting_epsilon",
    "release",
]

_NAMES = {
    "bars": "Outlook",
    "bundle": "CONSENT Stopped check fitting_epsilon release",
    "ledger": "Budget BudgetLedger Entry ReleaseError",
    "plan": "Plan",
    "products": "Product",
    "statement": "TUNING",
}
"""By module; those of `cost` are here already."""


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for.

    ``python -m engine.release`` imports this package before its own first line: what takes seconds
    must not come before it can say that it was stopped.
    """
    for module, names in _NAMES.items():
        if name in names.split():
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
