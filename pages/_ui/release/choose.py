"""What to release: the product, its settings from the sliders, and its plan without any count."""

from datetime import UTC, datetime
from typing import Any

import streamlit as st

from engine.errors import ExplorerError
from engine.release import DensityProduct, ODProduct, Plan, Product, ReportProduct
from engine.report import STOPS, ReportParameters
from engine.report import available as has_report
from pages._ui.cache import datasets as cached_datasets
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.drawing.tables import table_html
from pages._ui.release.wording import FOURIER, TRIP
from pages._ui.shell import setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Settings

FLOWS, DENSITY, REPORT = "Origin–destination", "Density", "Mobility report"
PRODUCTS = (FLOWS, DENSITY, REPORT)
SLIDERS: dict[str, dict[str, Any]] = {
    FLOWS: {"density": False, "trips": ("od_data", "unit", "max_trips", "threshold")},
    DENSITY: {"density": ("density_data", "max_visits"), "trips": False},
    REPORT: {"density": False, "trips": ("od_data",)},
}
"""Which settings of the sidebar each product uses."""

PRODUCT = setting.choice("release_product", PRODUCTS, FLOWS)
TRIPS = setting.stop("release_trips", STOPS, 20)


def entry_of(kind: str, settings: Settings) -> Entry | None:
    """Return the dataset that a product is made of."""
    return settings.density_data if kind == DENSITY else settings.od_data


def product_of(kind: str, settings: Settings) -> Product:
    """Return the product at the sliders' settings, with the controls that only it has."""
    if kind == DENSITY:
        st.caption(FOURIER)
        return DensityProduct(epsilon=settings.epsilon, max_visits_per_user=settings.max_visits)
    if kind == REPORT:
        kept = setting.draw(
            st.select_slider, "Trips kept per person (M)", TRIPS, options=list(STOPS)
        )
        return ReportProduct(
            parameters=ReportParameters(epsilon=settings.epsilon, max_trips_per_user=int(kept))
        )
    if settings.unit == "trip":
        st.warning(TRIP, icon=":material/warning:")
    return ODProduct(parameters=settings.trips())


def lacks(kind: str, entry: Entry) -> str:
    """Return what the dataset lacks for a product, or nothing."""
    if kind == DENSITY:
        return "" if entry.has_density else "has no visits"
    if kind == REPORT:
        there = has_report(cached_datasets.dataset(entry.key))
        return "" if there else "was made without the tables of a mobility report"
    return "" if entry.has_trips else "has no trips"


def planned(product: Product, entry: Entry) -> Plan | None:
    """Return the plan of a product; say why where there is none."""
    try:
        return product.plan(cached_datasets.dataset(entry.key))
    except ExplorerError as problem:
        st.error(str(problem), icon=":material/error:")
        return None


def draw_plan(plan: Plan) -> None:
    """Draw what a release will hold: its noise, its accuracy by the exact law, its biases."""
    first = plan.accuracy[0]
    cards.row(
        [
            Card("Noisy numbers", f"{plan.cells:,}", "", plan.cells_words),
            Card(
                "Error bar (90%)",
                f"± {first.half_width:,.4g}",
                "by the exact law of the noise",
                f"Of {first.what}, whatever its size."
                if plan.product != "report"
                else f"Of {first.what}.",
            ),
            Card("Noise", f"scale {plan.scale:.4g}", plan.mechanism, plan.contribution),
        ]
    )
    with st.expander("Expected accuracy and bias", icon=":material/straighten:"):
        st.caption("From the noise alone: nothing in your data was looked at for this table.")
        rows = plan.accuracy
        columns = {
            "Number": [row.what for row in rows],
            "True size": ["" if row.size is None else f"{row.size:,}" for row in rows],
            "90% error bar": [f"± {row.half_width:,.4g}" for row in rows],
            "Shown": [f"{row.shown:.1%}" for row in rows],
        }
        st.html(table_html(columns))
        for sentence in plan.bias:
            st.markdown(f"- {sentence}")


def default_name(plan: Plan, entry: Entry) -> str:
    """Return a name for the bundle's folder from public words and the time."""
    return f"{entry.name}-{plan.product}-{datetime.now(UTC):%Y%m%d-%H%M%S}"


def pick() -> str:
    """Draw the choice of a product and return it."""
    return setting.draw(
        st.segmented_control,
        "What to release",
        PRODUCT,
        PRODUCTS,
        required=True,
        label_visibility="collapsed",
    )


def ready(kind: str, entry: Entry) -> bool:
    """Whether the dataset can be released so; says whose data it is, or what is missing."""
    if reason := lacks(kind, entry):
        st.info(f"The dataset {entry.name} {reason}: choose another one in the sidebar.")
        return False
    simulated = " · simulated people: every file says so" if entry.metadata.simulated else ""
    st.caption(f"Dataset **{entry.name}**{simulated}")
    return True
