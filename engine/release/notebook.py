"""A notebook that reads a bundle with pandas, geopandas and matplotlib alone."""

import json
from collections.abc import Mapping
from typing import Any

_COMMON = """import json
import geopandas as gpd
import matplotlib.pyplot as plt
import pandas as pd

statement = json.load(open("statement.json", encoding="utf-8"))
for warning in statement["warnings"]:  # read these first
    print("WARNING:", warning)
print(statement["title"], "| ε =", statement["epsilon"], "per", statement["unit"])
counted = statement["counted"]
print("Error bars are around", counted["kept"] + ".", counted["beyond"])"""

_FLOWMAP = """total = pd.read_csv("flowmap/totals.csv", index_col="flows")
print(f"flowmap/flows.csv holds the {total.loc['in flows.csv', 'number']} clear flows; "
      f"{total.loc['left out', 'number']} are left out, which is most of the noise.")
whole = total.loc["all"]
print(f"All flows together: {whole['count']:,.0f} kept trips, 90% bar {whole['low_90']:,.0f} to "
      f"{whole['high_90']:,.0f}.")"""


_CELLS = {
    "od": (
        "## Flows with their error bars\n`flow` is empty where it is suppressed: that is not 0.",
        """flows = pd.read_csv("flows.csv", dtype={"origin": str, "destination": str})
top = flows.nlargest(15, "flow")
labels = top["origin"] + " → " + top["destination"]
bars = [top["flow"] - top["low_90"], top["high_90"] - top["flow"]]
plt.figure(figsize=(7, 5))
plt.barh(labels, top["flow"], xerr=bars, color="#2a6f97", ecolor="#1c2733")
plt.gca().invert_yaxis()
plt.xlabel("kept trips (90% error bar)")
plt.title("Largest flows")
plt.tight_layout()
plt.show()""",
        "## Sums: where suppression biases them\nA sum over `flows.csv` leaves suppressed "
        "flows out (too low) and adds the positive noise of those that are shown (too high). "
        "Zone totals in `zones.parquet` are sums before suppression and have neither bias.",
        """zones = gpd.read_parquet("zones.parquet")
seen = flows.groupby("origin")["flow"].sum()
compare = zones[["zone_id", "out_trips", "out_trips_low_90", "out_trips_high_90"]].copy()
compare["sum_of_shown_flows"] = compare["zone_id"].map(seen).fillna(0)
below = compare["sum_of_shown_flows"] < compare["out_trips_low_90"]
above = compare["sum_of_shown_flows"] > compare["out_trips_high_90"]
print(f"WARNING: for {below.sum()} of {len(compare)} zones the sum of shown flows lies below "
      f"the 90% bar of the unbiased total and for {above.sum()} above it: use out_trips.")
compare.head()""",
        _FLOWMAP,
        """zones.plot("out_trips", legend=True, cmap="viridis", figsize=(6, 6))
plt.title("Trips out of each zone")
plt.axis("off")
plt.show()""",
    ),
    "density": (
        "## A week of visits with its error bars",
        """density = pd.read_csv("density.csv", dtype={"zone_id": str})
busiest = density.groupby("zone_id")["visits"].sum().idxmax()
week = density[density["zone_id"] == busiest]
plt.figure(figsize=(9, 3))
plt.fill_between(week["hour"], week["low_90"], week["high_90"], color="#8aa4b8", alpha=0.5)
plt.plot(week["hour"], week["visits"], color="#2a6f97")
plt.xlabel("hour of the week (0 is Monday 00:00)")
plt.ylabel("kept visits")
plt.title(f"Zone {busiest}")
plt.tight_layout()
plt.show()""",
        "## Sums\nNegative counts were set to 0, so sums over quiet hours are too high. "
        "Weekly sums in `zones.parquet` were taken before that.",
        """zones = gpd.read_parquet("zones.parquet")
summed = zones["zone_id"].map(density.groupby("zone_id")["visits"].sum())
above = summed > zones["visits_high_90"]
print(f"WARNING: for {above.sum()} of {len(zones)} zones the sum over the hours lies above the "
      "90% bar of the weekly sum: use zones.parquet.")
zones.plot("visits", legend=True, cmap="viridis", figsize=(6, 6))
plt.title("Kept visits of the week")
plt.axis("off")
plt.show()""",
    ),
    "od-estimate": (
        "## Flows that exist\n`trips` is read by a model from all noisy cells. `measured` is one "
        "noisy cell by itself; its bar and `low_90` to `high_90` hold whatever the data. "
        "`model_low` to `model_high` is what the model believes and promises nothing.",
        """flows = pd.read_csv("flows.csv", dtype={"origin": str, "destination": str})
shown = flows[flows["mark"].notna()].copy()
print(shown["mark"].value_counts().to_string())
if 0 < 0.05 * (shown["mark"] == "certain").sum() < 1:  # 5% of them is less than one flow
    print("WARNING: so few flows are named certain that all of them may be noise.")
top = shown.nlargest(15, "trips")
labels = top["origin"] + " → " + top["destination"]
bars = [
    (top["measured"] - top["measured_low_90"]).clip(lower=0),
    (top["measured_high_90"] - top["measured"]).clip(lower=0),
]
plt.figure(figsize=(7, 5))
plt.barh(labels, top["trips"], color="#8aa4b8", label="read by the model")
plt.errorbar(top["measured"], labels, xerr=bars, fmt="o", color="#1c2733", label="measured")
plt.gca().invert_yaxis()
plt.legend()
plt.xlabel("trips (90% error bar of the measured, kept trips)")
plt.tight_layout()
plt.show()""",
        "## Sums\nKeep all flows in sums, also those without a mark. `out_measured` in "
        "`zones.parquet` is unbiased for kept trips and has a bar; `out_trips` is the model's.",
        """zones = gpd.read_parquet("zones.parquet")
outside = (zones["out_trips"] < zones["out_measured_low_90"]) | (
    zones["out_trips"] > zones["out_measured_high_90"]
)
print(f"WARNING: for {outside.sum()} of {len(zones)} zones the model's total lies outside the 90% "
      "bar of the measured one: check them.")
zones.plot("out_trips", legend=True, cmap="viridis", figsize=(6, 6))
plt.title("Trips out of each zone")
plt.axis("off")
plt.show()""",
        _FLOWMAP,
    ),
    "density-zoom": (
        "## A week of visits\n`visits` is read from five noisy tables; small differences between "
        "neighbouring places are evened out. `measured` weighs fewer visits, with a bar that holds "
        "whatever the data.",
        """density = pd.read_csv("density.csv", dtype={"zone_id": str})
busiest = density.groupby("zone_id")["visits"].sum().idxmax()
week = density[density["zone_id"] == busiest]
figure, (above, below) = plt.subplots(2, 1, figsize=(9, 5), sharex=True)
above.plot(week["hour"], week["visits"], color="#2a6f97")
above.set_ylabel("visits, as read")
below.fill_between(week["hour"], week["measured_low_90"], week["measured_high_90"],
                   color="#8aa4b8", alpha=0.5)
below.plot(week["hour"], week["measured"], color="#2a6f97")
below.set_ylabel("as measured")
below.set_xlabel("hour of the week (0 is Monday 00:00)")
above.set_title(f"Zone {busiest}")
plt.tight_layout()
plt.show()""",
        """zones = gpd.read_parquet("zones.parquet")
zones.plot("visits", legend=True, cmap="viridis", figsize=(6, 6))
plt.title("Visits of the week")
plt.axis("off")
plt.show()""",
    ),
    "report": (
        "## Every analysis with its error bars",
        """report = pd.read_csv("report.csv", dtype={"bin": str})
for name, part in report.groupby("analysis", sort=False):
    part = part.head(40)
    plt.figure(figsize=(8, 2.6))
    # a bar is measured from the shown count, which is not below 0
    low = (part["count"] - part["low_90"]).clip(lower=0)
    high = (part["high_90"] - part["count"]).clip(lower=0)
    plt.bar(part["bin"], part["count"], yerr=[low, high], color="#2a6f97", ecolor="#1c2733")
    plt.xticks(rotation=90, fontsize=7)
    plt.title(name)
    plt.tight_layout()
    plt.show()""",
    ),
}


def notebook(content: Mapping[str, Any]) -> str:
    """Return ``use_it.ipynb`` for a statement; it holds no output and no number of the bundle."""
    cells = [_text("# How to read this release\nRun it beside the files of the bundle.")]
    cells.append(_code(_COMMON))
    own = _CELLS[str(content["product"])]
    cells += [_text(cell) if cell.startswith("## ") else _code(cell) for cell in own]
    document = {
        "cells": [{"id": f"cell-{i}", **cell} for i, cell in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def _text(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _code(source: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": source,
    }
