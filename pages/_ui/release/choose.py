"""What to release: the product, its settings from the sliders, and its plan without any count."""

from datetime import UTC, datetime
from typing import Any

import streamlit as st

from engine.errors import ExplorerError
from engine.release import (
    DensityProduct,
    EstimateProduct,
    ODProduct,
    Plan,
    Product,
    ReportProduct,
    ZoomProduct,
)
from engine.release.page import bar
from engine.release.plan import LEVEL
from engine.report import STOPS, Budget, ReportParameters
from engine.report import available as has_report
from pages._ui.cache import datasets as cached_datasets
from pages._ui.cache import report as cached_report
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.drawing.tables import table_html
from pages._ui.release.wording import FOURIER, READ, TRIP
from pages._ui.shell import dates, setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Settings

FLOWS, DENSITY, REPORT = "Origin–destination", "Density", "Mobility report"
PRODUCTS = (FLOWS, DENSITY, REPORT)
PUBLISHED, OURS = "Published", "Ours"
METHODS = (PUBLISHED, OURS)
SLIDERS: dict[tuple[str, str], dict[str, Any]] = {
    (FLOWS, PUBLISHED): {
        "density": False,
        "trips": ("od_data", "unit", "max_trips", "threshold"),
    },
    (FLOWS, OURS): {"density": False, "trips": ("od_data", "unit", "max_trips")},
    (DENSITY, PUBLISHED): {"density": ("density_data", "max_visits"), "trips": False},
    (DENSITY, OURS): {"density": ("density_data", "delta"), "trips": False},
    (REPORT, PUBLISHED): {"density": False, "trips": ("od_data",)},
}
"""Which settings of the sidebar each product uses, by its method."""

PRODUCT = setting.choice("release_product", PRODUCTS, FLOWS)
METHOD = setting.choice("release_method", METHODS, PUBLISHED)
TRIPS = setting.stop("release_trips", STOPS, 20)
DAYS = "release_days"


def entry_of(kind: str, settings: Settings) -> Entry | None:
    """Return the dataset that a product is made of."""
    return settings.density_data if kind == DENSITY else settings.od_data


def product_of(kind: str, method: str, settings: Settings, entry: Entry) -> Product:
    """Return the product at the sliders' settings, with the controls that only it has."""
    if method == OURS:
        st.caption(READ[kind])
    if kind == DENSITY and method == OURS:
        return ZoomProduct(epsilon=settings.epsilon, delta=settings.delta)
    if kind == DENSITY:
        st.caption(FOURIER)
        return DensityProduct(epsilon=settings.epsilon, max_visits_per_user=settings.max_visits)
    if kind == REPORT:
        kept = setting.draw(
            st.select_slider, "Trips kept per person (M)", TRIPS, options=list(STOPS)
        )
        return ReportProduct(
            parameters=ReportParameters(
                epsilon=settings.epsilon,
                max_trips_per_user=int(kept),
                budget=Budget.fitting(cached_report.table(entry.key)),
            )
        )
    if settings.unit == "trip":
        st.warning(TRIP, icon=":material/warning:")
    product = EstimateProduct if method == OURS else ODProduct
    return product(parameters=settings.trips(), days=_days(settings.unit, entry))


def _days(unit: str, entry: Entry) -> tuple[int, ...] | None:
    """Draw which days are released and return their positions; None where all are."""
    last = len(entry.metadata.days) - 1
    if unit == "person" or last < 1:
        return None
    first, end = dates.day_range(
        st,
        "Days to release",
        DAYS,
        entry,
        (0, last),
        help="A person pays for every day of a release that protects person-days.",
    )
    return None if (first, end) == (0, last) else tuple(range(first, end + 1))


def lacks(kind: str, method: str, entry: Entry) -> str:
    """Return what the dataset lacks for a product, or nothing."""
    if kind == DENSITY and method == OURS and entry.has_density:
        there = cached_datasets.dataset(entry.key).has_zoom
        return "" if there else "was made without the tables of this method"
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
                f"± {bar(first.half_width)}",
                "by the exact law of the noise",
                f"Of {first.what} after trimming, whatever its size."
                if first.size is not None
                else f"Of {first.what}.",
            ),
            Card("Noise", f"scale {plan.scale:.4g}", plan.mechanism, plan.contribution),
        ]
    )
    with st.expander("Expected accuracy and bias", icon=":material/straighten:"):
        st.caption(
            "From the noise alone: nothing in your data was looked at for this table. Sizes and "
            "bars are of kept counts. What the bound on each person's counts leaves out is not "
            "in a bar, and no law says how much it is."
        )
        rows = plan.accuracy
        columns = {
            "Number": [row.what for row in rows],
            "Kept size": ["" if row.size is None else f"{row.size:,}" for row in rows],
            "90% error bar": [f"± {bar(row.half_width)}" for row in rows],
            "Shown": [f"{row.shown:.1%}" for row in rows],
            "If shown, the bar holds it": [f"{min(row.holds, LEVEL):.1%}" for row in rows],
        }
        st.html(table_html(columns))
        for sentence in plan.bias:
            st.markdown(f"- {sentence}")


def default_name(plan: Plan, entry: Entry) -> str:
    """Return a name for the bundle's folder from public words and the time."""
    return f"{entry.name}-{plan.product}-{datetime.now(UTC):%Y%m%d-%H%M%S}"


def pick() -> tuple[str, str]:
    """Draw the choices of a product and, where there are two, of its method; return both."""
    with st.container(horizontal=True, gap="medium"):
        kind = setting.draw(
            st.segmented_control,
            "What to release",
            PRODUCT,
            PRODUCTS,
            required=True,
            label_visibility="collapsed",
        )
        if kind == REPORT:
            return kind, PUBLISHED
        method = setting.draw(
            st.segmented_control,
            "Method",
            METHOD,
            METHODS,
            required=True,
            label_visibility="collapsed",
        )
    return kind, method


def ready(kind: str, method: str, entry: Entry) -> bool:
    """Whether the dataset can be released so; says whose data it is, or what is missing."""
    if reason := lacks(kind, method, entry):
        st.info(f"The dataset {entry.name} {reason}: choose another one in the sidebar.")
        return False
    simulated = " · simulated people: every file says so" if entry.metadata.simulated else ""
    st.caption(f"Dataset **{entry.name}**{simulated}")
    return True
