"""A published method and ours at the same proved ε, side by side: numbers, maps, curves, losses."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import streamlit as st

from engine.parameters import DensityParameters
from engine.resolution import block_at, resolution_of
from pages._ui import jobs
from pages._ui.cache import datasets as cached_datasets
from pages._ui.cache import density as cached_density
from pages._ui.cache.draws import DISTANCE_REPEATS, REPEATS
from pages._ui.cache.repeats import Drawn
from pages._ui.density import sweeps
from pages._ui.density import wording as density_wording
from pages._ui.density.map import START_HOUR
from pages._ui.density.settings import Chosen
from pages._ui.drawing import cards, maps
from pages._ui.drawing.svg import sketches
from pages._ui.jobs import Job, Step
from pages._ui.shell.settings import Seed
from pages._ui.wording.density_cards import density_cards
from pages._ui.wording.labels import SHORT_METHODS, no_zoom
from pages._ui.wording.numbers import number, percent

OURS = "zoom"
PUBLISHED = "efpag_joint"
MAP_HEIGHT, MAP_WIDTH = 260, 230


def pair(chosen: Chosen) -> dict[str, DensityParameters]:
    """Return the published method and ours by name, both with the slider's ε as proved total."""
    fair = replace(chosen, equal=True)
    published = chosen.settings.variant if chosen.settings.variant != OURS else PUBLISHED
    return {
        f"Published: {SHORT_METHODS[published]}": fair.vary(method=published),
        "Ours: zoom": fair.vary(method=OURS),
    }


def teaser(chosen: Chosen) -> None:
    """Say in one line, under the page's numbers, what the other method gives at the same ε."""
    if not chosen.has_zoom:
        return
    published, ours = (
        cached_density.scores(chosen.key, parameters, chosen.seed).mean_error
        for parameters in pair(chosen).values()
    )
    if np.isfinite([published, ours]).all():
        st.caption(
            f":material/compare: At the same proved ε of {chosen.epsilon:g}: relative error "
            f"{percent(published)} by the published method, {percent(ours)} by ours. "
            "See *Published | ours* under *Look deeper*."
        )


def draw(chosen: Chosen) -> None:
    """Draw both methods side by side, or say why ours is not there."""
    st.markdown(f"**What does our method give at the same proved ε of {chosen.epsilon:g}?**")
    if not chosen.has_zoom:
        st.info(no_zoom(chosen.metadata.made_by))
        return
    if chosen.settings.variant != OURS:  # else the page has said it already
        st.caption(density_wording.ZOOM)
    compared = pair(chosen)
    _numbers(chosen, compared)
    _maps(chosen, compared)
    fair = replace(chosen, equal=True)
    curves = [
        sweeps.Curve(name, "", sweeps.over_epsilon(fair, method=parameters.method))
        for name, parameters in compared.items()
    ]
    sweeps.draw("ours", fair, curves, density_wording.LOOK["ours"])
    st.markdown("**What each of them loses**")
    for column, name in zip(st.columns(2, gap="large"), ("published", OURS), strict=True):
        column.markdown("\n".join(f"- {line}" for line in density_wording.LOSES[name]))


def _numbers(chosen: Chosen, compared: dict[str, DensityParameters]) -> None:
    key, seed = chosen.key, chosen.seed
    first = [cached_density.scores(key, parameters, seed) for parameters in compared.values()]
    work = jobs.job("ours_numbers", _steps, key, tuple(compared.values()), seed)

    def show(running: Job) -> None:
        drawn = running.result or (Drawn(), Drawn())
        columns = st.columns(2, gap="large")
        for column, name, score, part in zip(columns, compared, first, drawn, strict=True):
            done = not running.running
            few = running.running and not part.ranges_known
            repeats = None if few else part.scores
            shown = density_cards(score, repeats, part.distances_m, finished=done)
            with column:
                st.markdown(f"**{name}**")
                st.html(cards.cards_html(shown))

    jobs.live("ours_numbers", work, show)


def _steps(key: str, compared: tuple[DensityParameters, ...], seed: Seed) -> Iterator[Step]:
    drawn = [Drawn() for _ in compared]
    total = len(compared) * (REPEATS + DISTANCE_REPEATS)
    done = 0
    for index, parameters in enumerate(compared):
        for repeat in range(REPEATS):
            score = cached_density.scores(key, parameters, seed, repeat)
            drawn[index] = Drawn((*drawn[index].scores, score))
            done += 1
            yield Step(done, total, tuple(drawn))
    for repeat in range(DISTANCE_REPEATS):
        for index, parameters in enumerate(compared):
            for _ in cached_density.distances(key, parameters, seed, repeat):
                yield Step(done, total, tuple(drawn))
            moved = cached_density.distance_of_week(key, parameters, seed, repeat)
            drawn[index] = replace(drawn[index], distances_m=(*drawn[index].distances_m, moved))
            done += 1
            yield Step(done, total, tuple(drawn))


def _maps(chosen: Chosen, compared: dict[str, DensityParameters]) -> None:
    """Draw the same time three times on one scale: true, published, ours."""
    block, when = block_at(resolution_of(chosen.key).hours, START_HOUR)
    truth = cached_density.truth(chosen.key)[:, block]
    shown = {"True": truth}
    for name, parameters in compared.items():
        counts = cached_density.release(chosen.key, parameters, chosen.seed).counts
        shown[name] = np.maximum(counts[:, block], 0.0)
    scale = maps.Scale(0.0, max(float(np.quantile(truth, 0.998)), 1.0))
    tooltip = {name: [number(value) for value in values] for name, values in shown.items()}
    drawn = cached_datasets.sketch(chosen.key)
    places = st.grid(3, min_column_width=MAP_WIDTH, gap="medium")
    for index, (name, values) in enumerate(shown.items()):
        with places.cell():
            st.html(f'<div class="maptitle">{name}</div>')
            sketches.zone_sketch(
                drawn,
                values,
                scale,
                key=f"density_ours_map_{index}",
                alt=f"Map of visits by zone, {when}: {name}",
                tooltip=tooltip,
                height=MAP_HEIGHT,
            )
    scale.legend(f"visits, {when}; one scale for all three", "0", f"{number(scale.high)} or more")
