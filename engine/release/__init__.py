"""From exploring to a release: one draw, a ledger that survives, a bundle a reader can trust.

This is the one package whose numbers leave the building. Its noise comes from OpenDP's whole-number
samplers, its costs go to a ledger before anything is drawn, and its files say what a reader must
know.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from engine.release.cost import Cost, Loss, cost

if TYPE_CHECKING:
    from engine.release.bundle import CONSENT, Stopped, check, release
    from engine.release.density import DensityProduct
    from engine.release.entries import Budget, BudgetUnit, Entry, ReleaseError
    from engine.release.estimate import EstimateProduct
    from engine.release.ledger import Ledger
    from engine.release.od import ODProduct
    from engine.release.plan import Accuracy, Outlook, Plan, Product
    from engine.release.recost import Undercharged, undercharged
    from engine.release.report import ReportProduct
    from engine.release.statement import ITEMS, SCHEMA, TUNING
    from engine.release.ways import WayOut, charge, fits, fitting_epsilon, ways_out
    from engine.release.zoom import ZoomProduct

__all__ = [
    "CONSENT",
    "ITEMS",
    "SCHEMA",
    "TUNING",
    "Accuracy",
    "Budget",
    "BudgetUnit",
    "Cost",
    "DensityProduct",
    "Entry",
    "EstimateProduct",
    "Ledger",
    "Loss",
    "ODProduct",
    "Outlook",
    "Plan",
    "Product",
    "ReleaseError",
    "ReportProduct",
    "Stopped",
    "Undercharged",
    "WayOut",
    "ZoomProduct",
    "charge",
    "check",
    "cost",
    "fits",
    "fitting_epsilon",
    "release",
    "undercharged",
    "ways_out",
]

_WHERE = {
    "Accuracy": "plan",
    "Budget": "entries",
    "BudgetUnit": "entries",
    "CONSENT": "bundle",
    "DensityProduct": "density",
    "Entry": "entries",
    "EstimateProduct": "estimate",
    "ITEMS": "statement",
    "Ledger": "ledger",
    "ODProduct": "od",
    "Outlook": "plan",
    "Plan": "plan",
    "Product": "plan",
    "ReleaseError": "entries",
    "ReportProduct": "report",
    "SCHEMA": "statement",
    "Stopped": "bundle",
    "TUNING": "statement",
    "Undercharged": "recost",
    "WayOut": "ways",
    "ZoomProduct": "zoom",
    "charge": "ways",
    "check": "bundle",
    "fits": "ways",
    "fitting_epsilon": "ways",
    "release": "bundle",
    "undercharged": "recost",
    "ways_out": "ways",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for.

    ``python -m engine.release`` imports this package before its own first line: what takes seconds
    must not come before it can say that it was stopped.
    """
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
