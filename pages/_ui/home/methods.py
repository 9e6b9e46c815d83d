"""What home's picture shows: a draw, a published method beside ours, ranges, or decisions."""

from dataclasses import dataclass

import streamlit as st

from pages._ui.cache import (
    density as cached_density,
    pictures as cached_pictures,
    trips as cached_trips,
    verbs,
)
from pages._ui.cache.window import declared
from pages._ui.drawing import tables
from pages._ui.drawing.svg import stage as drawn_stage
from pages._ui.drawing.svg.stage import Picture
from pages._ui.shell import setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Settings, seed
from pages._ui.wording.labels import SHORT_METHODS
from pages._ui.wording.measures import MEAN_ERROR
from pages._ui.wording.numbers import fixed, percent, trip_count

PRIVATE, METHODS, RANGE, DECISIONS = PICTURES = (
    "True | private",
    "Published | ours",
    "Range",
    "Decisions",
)
_BESIDE = setting.choice("home_beside", PICTURES, PRIVATE)
_OURS, _PUBLISHED = "zoom", "efpag_joint"


@dataclass(frozen=True)
class Methods:
    """A published method beside ours.

    Attributes
    ----------
    picture : Picture
    numbers : dict
        Label → the number of the published method and of ours, both of the draw on the picture.
    note : str
    """

    picture: Picture
    numbers: dict[str, tuple[str, str]]
    note: str


def choose(part: str, entry: Entry) -> None:
    """Draw the switch between the pictures that can be shown."""
    setting.draw(
        st.segmented_control,
        "Picture",
        _BESIDE,
        [one for one in PICTURES if one != METHODS or _known(part, entry)],
        label_visibility="collapsed",
        help="Published | ours: the paper's method beside our own, on the same noise. Range: "
        "how far apart 90% of draws of each number lie. Decisions: "
        "where a release acts rightly, misses a zone or acts needlessly.",
    )


def shows(picture: str) -> bool:
    """Whether a picture is the one that is asked for."""
    return setting.value(_BESIDE) == picture


def wanted(settings: Settings, part: str, entry: Entry, zone: int | None) -> Methods | None:
    """Return both methods where they are asked for and can be shown."""
    if setting.value(_BESIDE) != METHODS or not _known(part, entry):
        return None
    return _trips(settings, entry, zone) if part == "trips" else _density(settings, entry)


def _known(part: str, entry: Entry) -> bool:
    return part == "trips" or entry.has_zoom


def _trips(settings: Settings, entry: Entry, zone: int | None) -> Methods:
    """Return both readings of one draw of the flows."""
    noise, parameters = seed(entry), settings.trips()
    window, ours = declared(parameters), settings.trips(method="estimate")
    one, other = (
        cached_trips.agreed(entry.key, method, noise, window).agreement
        for method in (parameters, ours)
    )
    return Methods(
        drawn_stage.beside(
            cached_pictures.trips(entry.key, parameters, noise, window, zone),
            cached_pictures.estimates(entry.key, ours, noise, window, zone),
            epsilon=parameters.epsilon,
        ),
        {
            MEAN_ERROR: (trip_count(one.mean_error), trip_count(other.mean_error)),
            "Error of totals leaving zones": (
                percent(one.outgoing_error),
                percent(other.outgoing_error),
            ),
            "Common part of commuters": (percent(one.common_part), percent(other.common_part)),
        },
        f"Both spend ε = {parameters.epsilon:g} and read the same draw of the noise; the published "
        "method then hides flows below τ, ours hides none and draws those that are certain or "
        "likely.",
    )


def _density(settings: Settings, entry: Entry) -> Methods:
    """Return one draw of both densities at the same proved ε."""
    noise = seed(entry)
    published = settings.variant if settings.variant != _OURS else _PUBLISHED
    pair = [
        cached_density.at_equal_proved(entry.key, settings.density(method=one))
        for one in (published, _OURS)
    ]
    one, other = (verbs.scores(entry.key, parameters, noise) for parameters in pair)
    pictures = [cached_pictures.density(entry.key, parameters, noise) for parameters in pair]
    return Methods(
        drawn_stage.beside(*pictures, epsilon=settings.epsilon),
        {
            "Relative error (MRE)": (percent(one.mean_error), percent(other.mean_error)),
            "Rhythm kept (Pearson r)": (fixed(one.mean_correlation), fixed(other.mean_correlation)),
            "Error of the total": (percent(one.total_error), percent(other.total_error)),
        },
        f"Published: {SHORT_METHODS[published]}. Both are proved to spend ε = "
        f"{settings.epsilon:g} for a person's week, so the published one is drawn at the ε that "
        "its proof allows, not at the slider's.",
    )


def draw_numbers(methods: Methods) -> None:
    """Draw the numbers of both under the picture."""
    st.html(
        tables.table_html(
            {
                "On this draw": list(methods.numbers),
                "Published": [pair[0] for pair in methods.numbers.values()],
                "Ours": [pair[1] for pair in methods.numbers.values()],
            }
        )
    )
    st.caption(f"{methods.note} The gauges and the verdict speak of the method set in the panel.")
