"""From exploring to a release: one draw, a ledger that survives, a bundle a reader can trust.

This is the one package whose numbers leave the building. Its noise comes from OpenDP's whole-number
samplers, its costs go to a ledger before anything is drawn, and its files say what a reader must
know.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .cost import Cost, Loss, Undercharged, cost, undercharged

if TYPE_CHECKING:
    from . import recurring
    from .bars import Outlook
    from .bundle import CONSENT, Stopped, check, release
    from .entries import Budget, Entry, ReleaseError
    from .ledger import BudgetLedger
    from .plan import Plan
    from .products import Product
    from .statement import TUNING
    from .ways import WayOut, charge, fits, fitting_epsilon, ways_out

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
    "Undercharged",
    "WayOut",
    "charge",
    "check",
    "cost",
    "fits",
    "fitting_epsilon",
    "recurring",
    "release",
    "undercharged",
    "ways_out",
]

_NAMES = {
    "bars": "Outlook",
    "bundle": "CONSENT Stopped check release",
    "entries": "Budget Entry ReleaseError",
    "ledger": "BudgetLedger",
    "plan": "Plan",
    "products": "Product",
    "statement": "TUNING",
    "ways": "WayOut charge fits fitting_epsilon ways_out",
}
"""By module; those of `cost` are here already."""


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for.

    ``python -m engine.release`` imports this package before its own first line: what takes seconds
    must not come before it can say that it was stopped.
    """
    if name == "recurring":
        return import_module(f"{__name__}.{name}")
    for module, names in _NAMES.items():
        if name in names.split():
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
