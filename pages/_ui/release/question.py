"""What to release: the product, its settings from the sliders, and its plan without any count."""

from dataclasses import dataclass
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

import streamlit as st

from engine import density, origin_destination as od, report
from engine.contract import Method
from engine.errors import ExplorerError
from engine.parameters import DensityParameters, ODParameters
from engine.release import Plan, Product
from engine.release.bars import LEVEL
from engine.release.page import bar
from engine.release.products import WAYS
from engine.report import STOPS, ReportParameters
from pages._ui.cache import datasets as cached_datasets, verbs
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.drawing.tables import table_html
from pages._ui.release.wording import FOURIER, READ, TRIP
from pages._ui.shell import catalogue, dates, setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.setting import Setting
from pages._ui.shell.settings import Settings, current, has_part, use_settings

FLOWS, DENSITY, REPORT = "Origin–destination", "Density", "Mobility report"
PRODUCTS: dict[str, ModuleType] = {FLOWS: od, DENSITY: density, REPORT: report}
PUBLISHED, OURS = "Published", "Ours"
WHOSE = (PUBLISHED, OURS)
TRIPS = setting.stop("release_trips", STOPS, 20)
DAYS = "release_days"
_PARAMETERS = {FLOWS: ODParameters, DENSITY: DensityParameters, REPORT: ReportParameters}
_SLIDERS = {
    "unit": "unit",
    "max_trips_per_user": "max_trips",
    "suppression_threshold": "threshold",
    "max_visits_per_user": "max_visits",
    "delta": "delta",
}
"""The slider of each field of the parameters that a method may use."""


@dataclass(frozen=True)
class Kind:
    """What is released and by which method, a row of its product's table."""

    name: str
    method: str

    @property
    def row(self) -> Method[Any]:
        """What is known of the method."""
        return PRODUCTS[self.name].METHODS[self.method]

    @property
    def part(self) -> str:
        """The part of a dataset that it is made of."""
        return "density" if self.name == DENSITY else "trips"

    @property
    def data(self) -> str:
        """The setting that holds the dataset."""
        return "density_data" if self.name == DENSITY else "od_data"

    @property
    def sliders(self) -> dict[str, Any]:
        """Which settings of the sidebar it uses."""
        used = [] if self.name == REPORT else [_SLIDERS[f] for f in _SLIDERS if f in self.row.uses]
        return {"density": False, "trips": False, self.part: (self.data, *used)}

    def lacks(self, entry: Entry) -> str:
        """Return what a dataset lacks for it, or nothing."""
        if not has_part(entry, self.part):
            return f"has no {'visits' if self.name == DENSITY else 'trips'}"
        if self.name == REPORT and not verbs.of(report.available, entry.key):
            return "was made without the tables of a mobility report"
        return "" if self.row.offered(entry) else "was made without the tables of this method"


def pick() -> Kind:
    """Draw the choices of a product and, where there are two, of its method; return both."""
    with st.container(horizontal=True, gap="medium"):
        name = setting.views("release_product", list(PRODUCTS), label="What to release")
        ours = whose(name)
        if ours is not None:
            chosen = setting.draw(
                st.segmented_control,
                "Method",
                ours,
                WHOSE,
                required=True,
                label_visibility="collapsed",
            )
            return Kind(name, _method(name, ours=chosen == OURS))
    return Kind(name, _method(name, ours=False))


def whose(name: str) -> Setting[str] | None:
    """Return the setting of a product's method, as on the other pages until it is chosen here."""
    now = current()
    set_elsewhere = {FLOWS: now.od_method, DENSITY: now.variant}
    if name not in set_elsewhere:
        return None
    ours = PRODUCTS[name].METHODS[set_elsewhere[name]].ours
    return setting.following(setting.choice("release_method", WHOSE, OURS if ours else PUBLISHED))


def name_of(product: Product) -> str:
    """Return what a product is called."""
    return next(name for name, kind in _PARAMETERS.items() if kind is type(product.parameters))


def _method(name: str, *, ours: bool) -> str:
    """Return the method of a product that can be released, the published one or ours."""
    table, ways = PRODUCTS[name].METHODS, list(WAYS[_PARAMETERS[name]])
    return next((one for one in ways if table[one].ours == ours), ways[0])


def product_of(kind: Kind, settings: Settings, entry: Entry) -> Product:
    """Return the product at the sliders' settings, with the controls that only it has."""
    if kind.row.ours and kind.name in READ:
        st.caption(READ[kind.name])
    if kind.name == DENSITY:
        if not kind.row.ours:
            st.caption(FOURIER)
        return Product(settings.density(method=kind.method))
    if kind.name == REPORT:
        kept = setting.draw(st.select_slider, "Trips kept per person (M)", TRIPS, STOPS)
        usual = ReportParameters(
            epsilon=settings.epsilon, max_trips_per_user=int(kept), method=kind.method
        )
        return Product(report.fitting(usual, verbs.of(report.truth, entry.key)))
    if settings.unit == "trip":
        st.warning(TRIP, icon=":material/warning:")
    return Product(settings.trips(method=kind.method), days=_days(settings.unit, entry))


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


def ready(kind: Kind, entry: Entry) -> bool:
    """Whether the dataset can be released so; says whose data it is, or what would do instead."""
    if reason := kind.lacks(entry):
        st.info(f"The dataset {entry.name} {reason}: choose another one in the sidebar.")
        able = [one for one in catalogue.entries().values() if not kind.lacks(one)]
        for one in sorted(able, key=lambda one: not one.shipped)[:1]:
            st.button(
                f"Use {one.name} on every page",
                key="release_use_offer",
                on_click=use_settings,
                kwargs={kind.data: one.name},
            )
        return False
    simulated = " · simulated people: every file says so" if entry.metadata.simulated else ""
    st.caption(f"Dataset **{entry.name}**{simulated}")
    return True


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
