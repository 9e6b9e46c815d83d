"""Home's first column: the density of visits in four numbers; its curve and worst zones."""

from dataclasses import dataclass

import streamlit as st

from engine import density
from engine.ledger import Ledger
from pages._ui import jobs
from pages._ui.cache import density as cached_density, verbs
from pages._ui.cache.repeats import Drawn, density_draws
from pages._ui.drawing import cards
from pages._ui.jobs import Job
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Settings, seed
from pages._ui.wording import verdict
from pages._ui.wording.cards import density_cards
from pages._ui.wording.privacy import ledger_line

FIRST_DELAY_S = 2.0
"""How long repeated draws leave the processor to a page that is opened."""

_JOB = "home_density"


@dataclass(frozen=True)
class Column:
    """What the page needs of a drawn column."""

    entry: Entry
    ledger: Ledger | None


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
    return Column(entry=entry, ledger=release.ledger)


def _kept(settings: Settings) -> str:
    if "max_visits_per_user" not in density.METHODS[settings.variant].uses:
        return "nobody is sampled"
    return f"at most {settings.max_visits} {'visit' if settings.max_visits == 1 else 'visits'} kept"


def delay_s(name: str) -> float:
    """Return how long a job of home waits before it starts."""
    return FIRST_DELAY_S if jobs.named(name) is None else jobs.RESTED_S
