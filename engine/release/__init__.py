"""From exploring to a release: one draw, a ledger that survives, a bundle a reader can trust.

This is the one package whose numbers leave the building. Its noise comes from OpenDP's whole-number
samplers, its costs go to a ledger before anything is drawn, and its files say what a reader must
know.
"""

from engine.release.bundle import CONSENT, check, release
from engine.release.cost import cost
from engine.release.density import DensityProduct
from engine.release.entries import Budget, BudgetUnit, Entry, ReleaseError
from engine.release.estimate import EstimateProduct
from engine.release.ledger import Ledger
from engine.release.od import ODProduct
from engine.release.plan import Accuracy, Outlook, Plan, Product
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
    "DensityProduct",
    "Entry",
    "EstimateProduct",
    "Ledger",
    "ODProduct",
    "Outlook",
    "Plan",
    "Product",
    "ReleaseError",
    "ReportProduct",
    "WayOut",
    "ZoomProduct",
    "charge",
    "check",
    "cost",
    "fits",
    "fitting_epsilon",
    "release",
    "ways_out",
]
