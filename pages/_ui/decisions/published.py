"""P2's Tables 2 and 3 as printed, to be shown beside ours behind a switch."""

import pandas as pd

from engine.decisions import published
from engine.decisions.published import Migration

TABLE_2_NOTE = (
    "P2, Table 2: Afghanistan 2020, trip level, τ = 15; mean and standard deviation over zones. "
    "Measured on confidential data of real people; ours are simulated, so the numbers need not "
    "agree. P2 does not print the accuracy of never acting."
)
TABLE_3_NOTE = (
    "P2, Table 3: trip level, τ = 15, seven days; one draw (every accuracy of the top 3 is a "
    "multiple of 1/21). Measured on confidential data of real people; ours are simulated. The "
    "printed totals do not follow from Algorithm 1, whose phantom flows add trips at ε = 0.1 "
    "(erratum E2)."
)


def table_2() -> pd.DataFrame:
    """Return Table 2 as printed."""
    return pd.DataFrame(
        [
            {
                "Epidemic starts in": published.ORIGINS[origin],
                "Zones": level,
                "ε": f"{epsilon:g}",
                **{name.capitalize(): f"{m}% ({sd}%)" for name, (m, sd) in vars(scores).items()},
            }
            for (origin, level, epsilon), scores in published.TABLE_2.items()
        ]
    )


def table_3() -> pd.DataFrame:
    """Return Table 3 as printed."""
    rows: list[dict[str, str]] = []
    for name, columns in published.TABLE_3.items():
        event = published.EVENTS[name]
        rows.append(_row(event, "not private", f"{published.TRUE_TOTALS[name]:,}", "", ""))
        for epsilon, column in zip(published.EPSILONS, columns, strict=True):
            top = f"{column.top:.2f}%"
            rows.append(_row(event, f"ε = {epsilon:g}", f"{column.total:,}", _error(column), top))
    return pd.DataFrame(rows)


def _row(event: str, setting: str, total: str, error: str, top: str) -> dict[str, str]:
    return {
        "Event": event,
        "Setting": setting,
        "Total out-migration": total,
        "Error of the total": error,
        "Accuracy of the top 3": top,
    }


def _error(column: Migration) -> str:
    printed = f"{column.error:.2f}%"
    if column.corrected is None:
        return printed
    return f"{printed} (misprint for {column.corrected:.2f}%)"
