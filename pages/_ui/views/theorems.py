"""The ε of Theorems 6 and 7, published and exact side by side."""

from engine.origin_destination import LawName, calculators as theorems
from pages._ui import cached
from pages._ui.drawing import tables
from pages._ui.wording.numbers import trip_count
from pages._ui.wording.privacy import aim


def compared(
    alpha: int, beta: float, max_trips: int, unit: str, law: LawName = "rounded_laplace"
) -> dict[str, float]:
    """Draw the ε of Theorems 6 and 7, published and exact; return the exact ones."""
    given, cell = (alpha, beta, max_trips), theorems.epsilon_for_cell_error
    flow = float(cached.computed(cell, *given))
    change = float(cached.computed(theorems.epsilon_for_change, *given, method="published"))
    really = 1 - float(cached.computed(theorems.change_error_probability, alpha, change, max_trips))
    exact = {
        "flow": float(cached.computed(cell, *given, law=law)),
        "change": float(cached.computed(theorems.epsilon_for_change, *given, law=law)),
    }
    published = f"{change:.4g}, which really gives {really:.1%}"
    tables.rows(
        (f"Within {trip_count(alpha)} of {aim(unit)}", "Published ε", "Exact ε"),
        [
            ("One flow (Theorem 6)", f"{flow:.4g}", f"{exact['flow']:.4g}"),
            ("A change between two dates (Theorem 7)", published, f"{exact['change']:.4g}"),
        ],
    )
    return exact
