"""The seed of noise on real people's data is secret and shown nowhere; no two draws share noise."""

import ast
import secrets
from itertools import combinations
from pathlib import Path

import numpy as np

from engine.contract import Selection, Setting
from engine.datasets import load
from engine.parameters import DensityParameters, ODParameters
from pages._ui.answers import cached
from pages._ui.app import parallel
from pages._ui.settings.seeds import SIMULATED_SEED
from tests.privacy.conftest import ON_TOWN
from tests.support import pieces as work

CANARY = 0x1F00DCAFE5EED0DDBA11AD5B0A710AD5
"""128 bits, as a session draws them."""

FORMS = (str(CANARY), f"{CANARY:x}", str(CANARY)[:15])


def secret_seeds(app) -> list[int]:
    return list(app.session_state["session"].secret_seeds.values())


def seed_of_two() -> None:
    """Ask for the seeds of two datasets of real people, and of a simulated one."""
    from dataclasses import replace

    import streamlit as st

    from engine.contract import Selection
    from pages._ui.app import catalogue
    from pages._ui.settings import seeds

    known = catalogue.entries()
    town = known["town"]
    two = [seeds.seed(town), seeds.seed(replace(town, key=Selection(dataset_id="another")))]
    st.text(repr([*two, seeds.seed(town), seeds.seed(known["demo-city"])]))


def test_every_session_and_dataset_has_its_own(visit):
    texts = [visit(session, seed_of_two).text[0].value for session in ("one", "two")]
    drawn = [[number for number, redraws in ast.literal_eval(text)] for text in texts]
    for first, _, again, simulated in drawn:
        assert first == again
        assert simulated == SIMULATED_SEED
    real = {number for one in drawn for number in one[:2]}
    assert len(real) == 4
    assert all(number.bit_length() > 64 for number in real)


def test_it_is_drawn_by_the_operating_system_and_long_enough(visit, monkeypatch):
    asked = []

    def randbits(bits: int) -> int:
        asked.append(bits)
        return len(asked)

    monkeypatch.setattr(secrets, "randbits", randbits)
    first, other, *_ = ast.literal_eval(visit("one", seed_of_two).text[0].value)
    assert (first[0], other[0]) == (1, 2)
    assert set(asked) == {128}


def picture(app, part: str) -> str:
    """Return what home's picture is drawn from."""
    app.session_state["home_shown"] = part
    (shown,) = (one.value for one in app.run().markdown if 'class="sides"' in one.value)
    return shown


def test_two_sessions_see_other_noise_on_real_people_and_the_same_on_simulated(open_home):
    simulated, real = [], []
    for _ in range(2):
        app = open_home(od_data="demo-city", density_data="demo-city")
        simulated.append([picture(app, part) for part in ("trips", "density")])
        for key, name in ON_TOWN.items():
            app.session_state[key] = name
        real.append([picture(app, part) for part in ("trips", "density")])
    assert simulated[0] == simulated[1]
    assert all(one != other for one, other in zip(*real, strict=True))


def test_a_worker_is_told_it_by_its_pipe_alone(monkeypatch):
    monkeypatch.setenv(parallel.WORKERS_VARIABLE, "1")
    job = parallel.Job(work.place_of_work, (("town", CANARY),), 0.0)
    work.finish(job, 600)
    place = Path("/proc") / str(job.ordered_results[0])
    for name in ("cmdline", "environ") if place.is_dir() else ():
        given = (place / name).read_bytes().decode("latin-1")
        assert not any(form in given for form in FORMS)


SEED = (SIMULATED_SEED, 0)
FLOWS = ODParameters(epsilon=0.05, max_trips_per_user=1, suppression_threshold=0)
VISITS = DensityParameters(epsilon=0.05, method="zones_laplace")


def noise_shown() -> dict[str, np.ndarray]:
    """Return what the pages show less the truth, cell by cell, for several draws of one dataset."""
    seen = Selection(dataset_id=str(load("demo-city").folder))
    visits, flows = (Setting(selection=seen, parameters=one) for one in (VISITS, FLOWS))
    shown = {
        f"density, repeat {repeat}": cached.release(visits, SEED, repeat).counts
        - cached.truth(visits)
        for repeat in (0, 1)
    }
    for day in range(3):
        drawn = cached.release(flows, SEED, day=day).counts[0]
        shown[f"flows, day {day}"] = drawn - cached.truth(flows, day)
    return {name: values.ravel() for name, values in shown.items()}


def test_what_the_pages_show_of_one_dataset_shares_no_noise():
    shown = noise_shown()
    assert len(shown) == 5
    for (first, one), (second, other) in combinations(shown.items(), 2):
        size = min(len(one), len(other))
        # what is cut off at 0 does not say what its noise was
        known = (one[:size] != 0) & (other[:size] != 0)
        assert known.sum() > 100
        correlation = np.corrcoef(one[:size][known], other[:size][known])[0, 1]
        assert abs(correlation) < 5 / np.sqrt(known.sum()), (first, second)
