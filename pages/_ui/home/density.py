"""Home's first column: the density of visits in four numbers; its curve and worst zones."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import streamlit as st

from engine import density
from engine.density import DensityScores
from engine.ledger import Ledger
from engine.parameters import EPSILON_STOPS
from engine.resolution import Key
from pages._ui import jobs
from pages._ui.cache import datasets as cached_datasets, density as cached_density, verbs
from pages._ui.cache.repeats import Drawn, density_draws, judged_densities
from pages._ui.drawing import cards
from pages._ui.drawing.svg import curve as sketch_curve
from pages._ui.home import play as home_play
from pages._ui.jobs import Job
from pages._ui.shell import setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import EPSILON, Seed, Settings, seed
from pages._ui.wording import verdict
from pages._ui.wording.cards import density_cards
from pages._ui.wording.numbers import fixed, number, percent
from pages._ui.wording.privacy import ledger_line

FIRST_DELAY_S = 2.0
"""How long repeated draws leave the processor to a page that is opened."""

_JOB, _CURVE = "home_density", "home_curve"


@dataclass(frozen=True)
class Worst:
    """The zones that lose most: their numbers, and what is told of each, by column."""

    zones: tuple[int, ...]
    columns: dict[str, list[str]]


@dataclass(frozen=True)
class Column:
    """What the page needs of a drawn column."""

    entry: Entry
    ledger: Ledger | None
    part: str
    worst: Callable[[], Worst]
    curve: Callable[[], None]


def said_html(finding: verdict.Finding, entry: Entry) -> str:
    """Return what the column's own dataset can be used for."""
    level, sentence = verdict.headline([finding])
    return cards.verdict_html(
        level, sentence, verdict.remedies([finding]), of=entry.name, rule=verdict.USE_RULE
    )


def draw(settings: Settings, entry: Entry) -> Column:
    """Draw the column's point values; intervals and distances follow from beside the page."""
    noise, parameters = seed(entry), settings.density()
    release = verbs.release(entry.key, parameters, noise)
    scores = verbs.scores(entry.key, parameters, noise)
    finding = verdict.density(cached_density.judged(entry.key, parameters, noise))
    st.html(said_html(finding, entry))
    if home_play.playing():
        cards.draw(density_cards(scores))
    else:

        def show(job: Job) -> None:
            drawn = job.result or Drawn()
            known = drawn.scores if drawn.ranges_known or not job.running else None
            finished = not job.running
            cards.draw(density_cards(scores, known or None, drawn.distances_m, finished=finished))

        work = jobs.job(_JOB, density_draws, entry.key, parameters, noise, delay_s=delay_s(_JOB))
        jobs.live(_JOB, work, show)
    st.caption(
        f"Protects **one person, the whole week** ({_kept(settings)}). "
        + ledger_line(release.ledger)
    )
    return Column(
        entry=entry,
        ledger=release.ledger,
        part="density",
        worst=lambda: _worst(entry, scores),
        curve=lambda: _curve(entry.key, settings, noise),
    )


def _kept(settings: Settings) -> str:
    if "max_visits_per_user" not in density.METHODS[settings.variant].uses:
        return "nobody is sampled"
    return f"at most {settings.max_visits} {'visit' if settings.max_visits == 1 else 'visits'} kept"


def take(epsilon: float | None) -> None:
    """Set ε to a point of a curve that has just been clicked."""
    if epsilon is not None:
        setting.put(EPSILON, epsilon)
        st.rerun()


def delay_s(name: str) -> float:
    """Return how long a job of home waits before it starts."""
    return FIRST_DELAY_S if jobs.named(name) is None else jobs.RESTED_S


def _curve(key: Key, settings: Settings, noise: Seed) -> None:
    """Draw the share of usable zones over ε, with the points that are known."""
    current = settings.epsilon
    judged_here = cached_density.judged(key, settings.density(), noise)
    asked = tuple(settings.density(epsilon=stop) for stop in EPSILON_STOPS)
    work = jobs.job(_CURVE, judged_densities, key, asked, noise, delay_s=jobs.RESTED_S)

    def show(job: Job) -> None:
        known = dict(zip(EPSILON_STOPS, job.result or (), strict=False))
        judged = dict(sorted({**known, current: judged_here}.items()))
        picked = sketch_curve.epsilon_curve(
            list(judged),
            [one.usable_share for one in judged.values()],
            current,
            title="Usable zones",
            key="home_density_curve",
            alt=f"Share of usable zones over epsilon, now {current:g}",
        )
        take(picked)

    jobs.live(_CURVE, work, show)


def _worst(entry: Entry, scores: DensityScores) -> Worst:
    """Return the zones with the largest relative error."""
    order = np.argsort(-np.nan_to_num(scores.error, nan=-1.0))[:6]
    names = cached_datasets.dataset(entry.key).zones["name"].to_numpy()
    visits = cached_density.visits_an_hour(entry.key)
    columns = {
        "Zone": [str(name) for name in names[order]],
        "Visits an hour": [number(value) for value in visits[order]],
        "Relative error": [percent(value) for value in scores.error[order]],
        "Pearson r": [fixed(value) for value in scores.correlation[order]],
    }
    return Worst(tuple(order.tolist()), columns)
