"""The page where releases are allowed: what is released, what it costs, the ledger."""

import json
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import streamlit as st

from engine import datasets, release
from engine.datasets import storage
from engine.errors import ExplorerError
from engine.release import (
    Budget,
    BudgetLedger,
    Entry as Line,
    ReleaseError,
    ReleasePlan,
    budget_cost,
)
from engine.text.numbers import WORD_JOINER, count_noun, format_wait, make_inert, scientific
from pages._ui.answers import cached
from pages._ui.app import catalogue, error_pages
from pages._ui.app.background import LongJob, follow_job
from pages._ui.app.catalogue import Entry
from pages._ui.app.session import session
from pages._ui.components import tables
from pages._ui.release import release_form, release_job, release_text
from pages._ui.release.release_text import NO_BUDGET, UNITS, WHOSE, describe_budget, describe_cost
from pages._ui.settings import current, fields


def draw() -> None:
    """Draw settings, plan, cost and history."""
    ledger, latest = BudgetLedger(), release_job.latest()
    job = release_job.watched_release()
    if latest is not None and latest.state == "running":
        title = (
            f"Releasing {make_inert(job.name)}"
            if job
            else "A release is being made on this computer"
        )
        follow_job(
            latest, lambda _: release_job.describe_progress(latest), title=title, key="release"
        )
    elif job is not None:
        _draw_end(job)
    elif (choice := release_form.choose_setting()) is not None:
        setting, entry = choice
        plan = release_form.make_plan(setting)
        if plan is not None:
            plan = release_form.ask_trips(plan, entry)
            release_form.draw(plan, entry)
            st.subheader("Cost and confirmation", anchor=False)
            _draw_confirmation(plan, entry, ledger)
    _draw_history(ledger)
    # another session has begun one, or put it away, meanwhile
    if release_job.latest() is not latest:
        st.rerun()


def bundle_folder() -> Path:
    """Return where this computer's bundles lie, an owner-only folder."""
    place = datasets.data_root() / "local" / "releases"
    place.mkdir(parents=True, exist_ok=True)
    storage.make_owner_only(place)
    return place


def _draw_confirmation(plan: ReleasePlan, entry: Entry, ledger: BudgetLedger) -> None:
    """Draw budget, cost and confirmation; a press of the button releases."""
    try:
        budgets = ledger.budgets()
    except ReleaseError:
        return  # the history says so
    budget = next((row for row in budgets.values() if entry.name in row.datasets), None)
    if budget is None:
        _ask_budget(plan, entry, ledger, budgets)
        return
    dataset = cached.full_dataset(plan.setting)
    consents = _ask_consents(plan)
    try:
        _, charged = release.check_release(plan, dataset, ledger, consents)
    except ExplorerError as problem:
        words = make_inert(str(problem), None)
        if problem.code == "consent" and not any(consents):  # it is asked for just above
            st.info(words, icon=":material/edit:")
        else:
            st.error(words, icon=":material/block:")
        if problem.code in ("exceeded", "unit"):
            _offer_largest(plan, budget)
        return
    st.info(describe_cost(plan, budget, charged), icon=":material/payments:")
    tuned, note = release_form.ask_tuning(plan, entry)
    inert_name = make_inert(entry.name, None)
    label = f"Type {inert_name} to confirm. A release cannot be undone"
    typed = st.text_input(label, key="release_confirm").replace(WORD_JOINER, "")
    st.caption(f"The release takes {format_wait(release_text.estimate_release_s(plan))}.")
    name = f"{entry.name}-{plan.product}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    if st.button(
        "Release",
        type="primary",
        icon=":material/outbox:",
        key="release_start",
        disabled=typed != entry.name or release_job.is_releasing(),
    ):
        out = bundle_folder() / name
        started = release_job.start(
            name,
            plan.setting.dataset_id,
            lambda report: release.release(
                plan.setting,
                dataset,
                out,
                ledger=ledger,
                tuning=tuned,
                tuning_note=note,
                trips=plan.trips,
                sums_before_suppression=plan.has_sums,
                consents=consents,
                progress=report,
            ),
        )
        if not started:
            st.toast("Another release is running on this computer. Nothing was spent here.")
        st.rerun()


def _ask_consents(plan: ReleasePlan) -> list[str]:
    """Ask for what a release takes beyond its budget."""
    texts: list[str] = []
    if plan.needs_noise_consent:
        shown = f"Empty flows alone would show {plan.phantom_trips:,.0f} trips."
        label = f"To release it all the same, type: {release.NOISE_CONSENT}"
        label = f"{plan.setting.say_counts(shown)} {label}"
        texts.append(st.text_input(label, key="release_noise_consent"))
    if plan.unit == "trip":
        texts.append(
            st.text_input("Consent", key="release_consent", placeholder=release.TRIP_CONSENT)
        )
    return texts


def _offer_largest(plan: ReleasePlan, budget: Budget) -> None:
    """Offer the largest ε that fits, as the slider has it."""
    dataset, stops = cached.full_dataset(plan.setting), fields.EPSILON_SLIDER
    stop = release.max_epsilon_within_budget(plan.setting, dataset, budget, stops)
    if stop is not None and stop < plan.epsilon:
        st.button(
            f"Set ε = {stop:g}, the largest that the budget allows",
            key="release_most",
            icon=":material/tune:",
            on_click=current.set_values,
            kwargs={"epsilon": stop},
        )


def _draw_end(job: LongJob) -> None:
    """Draw how the release ended that this session has made or watched."""
    if job.state == "failed":
        st.error(make_inert(job.error, None), icon=":material/error:")
    elif job.result is not None:
        name = make_inert(job.name, None)
        message = f"Released: {name}. You may share the bundle. Do not share this page."
        st.success(message, icon=":material/check:")
        _draw_bundle(job.result, "new")
    st.button("Start another release", key="release_again", on_click=_start_another)


def _start_another() -> None:
    st.session_state.pop("release_confirm", None)
    session().watched_release = None


def _draw_bundle(out: Path, where: str) -> None:
    """Offer a bundle's archive and its statement; `where` tells two places of a page apart."""
    files = (
        ("Bundle (zip)", out.parent / f"{out.name}.zip", "application/zip", "download"),
        ("Statement (HTML)", out / "statement.html", "text/html", "article"),
    )
    with st.container(horizontal=True, gap="small"):
        for label, path, mime, icon in files:
            if path.is_file():
                st.download_button(
                    label,
                    path.read_bytes,  # read when it is asked for: a ledger may hold many
                    file_name=path.name if icon == "download" else f"{out.name}-statement.html",
                    mime=mime,
                    icon=f":material/{icon}:",
                    key=f"release_{icon}_{where}_{out.name}",
                    on_click="ignore",
                )
    st.caption(f"Kept in local/releases/{make_inert(out.name, None)}, readable by you only.")


def _draw_history(ledger: BudgetLedger) -> None:
    """List releases in the ledger and bundles on this computer, of datasets that are at hand here.

    Others may be what another session has uploaded, whose names are its own.
    """
    try:
        entries, budgets = ledger.entries(), ledger.budgets()
    except ReleaseError as problem:
        st.error(make_inert(str(problem), None), icon=":material/error:")
        return
    if not budgets:
        return
    st.subheader("The ledger", anchor=False)
    names = set(catalogue.entries())
    for budget in budgets.values():
        if names & set(budget.datasets):
            st.markdown(describe_budget(budget))
            if not budget.release_count:
                _offer_withdrawal(budget, ledger)
    releases = [entry for entry in entries if entry.kind == "release"]
    rows = [entry for entry in releases if entry.body["dataset"] in names]
    if len(rows) < len(releases):
        rest = count_noun(len(releases) - len(rows), "release")
        st.caption(f"{rest} of datasets that are not available here. The command lists all.")
    if not rows:
        return
    count = f"{len(entries)} entries (releases, budgets and completions)"
    st.caption(
        f"{count}. The chain of hashes is intact; the last hash is `{entries[-1].chain_hash}`."
    )
    tables.draw(_ledger_columns(rows, {e.body["release"] for e in entries if e.kind == "done"}))
    folders = [path.parent for path in bundle_folder().glob("*/SHA256SUMS")]
    bundles = {path.name: path for path in folders if _dataset_of(path) in names}
    if bundles:
        with st.expander(f"Bundles on this computer ({len(bundles)})"):
            chosen = st.selectbox("Bundle", sorted(bundles)[::-1], key="release_bundle")
            _draw_bundle(bundles[chosen], "list")


def _offer_withdrawal(budget: Budget, ledger: BudgetLedger) -> None:
    """Offer to take back a budget of which nothing is spent."""
    with st.popover("Withdraw this budget", icon=":material/undo:"):
        key = f"release_withdraw_{budget.people}"
        owner = st.text_input("Name of the person who declared it", key=f"{key}_owner")
        if st.button("Withdraw it", key=key, disabled=not owner):
            error_pages.run_action(partial(ledger.withdraw, budget.people, manager=owner))


def _dataset_of(bundle: Path) -> str:
    """Return the dataset that a bundle's statement names; nothing where it cannot be read."""
    try:
        return json.loads((bundle / "statement.json").read_bytes())["setting"]["dataset"]
    except (OSError, ValueError, KeyError):
        return ""


def _ledger_columns(rows: list[Line], done: set[int]) -> dict[str, list[str]]:
    return {
        "When (UTC)": [row.time.replace("T", " ").removesuffix("+00:00") for row in rows],
        "People": [row.people for row in rows],
        "Dataset": [str(row.body["dataset"]) for row in rows],
        "Product": [str(row.body.get("product", "")) for row in rows],
        "ε spent": [f"{row.body['epsilon']:g}" for row in rows],
        "δ spent": [f"{row.body['delta']:g}" for row in rows],
        "Bundle": ["made" if row.id in done else "not completed, but charged" for row in rows],
    }


def _ask_budget(
    plan: ReleasePlan, entry: Entry, ledger: BudgetLedger, budgets: dict[str, Budget]
) -> None:
    """Ask for the budget of a dataset's people: a new one, or that of people who have one."""
    people_known = entry.metadata.trips_have_people
    question = NO_BUDGET.format("people" if people_known else "trips")
    release_form.draw_warnings([question])
    if not people_known:  # people cannot pay for them
        budgets = {people: budget for people, budget in budgets.items() if budget.unit == "trip"}
    same_people = datasets.find_same_people(entry.name, entry.metadata.same_people_as)
    shared = [name for name, budget in budgets.items() if same_people & {*budget.datasets}]
    label, options = "Whose data are these?", list(WHOSE)
    first = int(bool(shared))
    if budgets and st.radio(label, options, first, format_func=WHOSE.__getitem__) == "same":
        with st.form("release_join", border=True, enter_to_submit=False):
            names = [*shared, *(name for name in budgets if name not in shared)]
            people = st.selectbox("The same people as", names)
            owner = st.text_input("Name of the person who says so and may raise their budget")
            if st.form_submit_button("Share their budget", type="primary"):
                error_pages.run_action(
                    lambda: ledger.join(str(people), dataset=entry.name, manager=owner)
                )
        return
    payer = "trip" if plan.unit == "trip" else "person"
    cost = budget_cost(plan, payer)
    spent = f" and δ = {scientific(cost.delta)}" if cost.delta else ""
    st.caption(f"This release costs ε = {cost.epsilon:.4g}{spent} per {payer}.")
    with st.form("release_budget", border=True, enter_to_submit=False):
        # whoever declares a budget after this one reads its name
        default = "" if entry.name in session().datasets else entry.name
        people = st.text_input(
            "Name for these people (all their data share one budget)", value=default
        )
        unit_col, epsilon_col, delta_col = st.columns(3)
        units = list(UNITS)[::-1] if people_known else list(UNITS)[:1]
        unit = unit_col.selectbox("Budget per", units, format_func=UNITS.__getitem__)
        epsilon = epsilon_col.number_input(
            "Total ε for all releases together", 0.01, 100.0, None, step=0.5
        )
        delta = delta_col.number_input(
            "Total δ for all releases together", 0.0, 0.01, plan.delta, step=1e-7, format="%g"
        )
        owner = st.text_input(
            "Your name or office (responsible for these data; may raise the budget)"
        )
        if st.form_submit_button("Declare the budget", type="primary"):
            if epsilon is None:
                st.error("Enter a total ε. Only you can decide how much may be revealed.")
                return
            declare = partial(ledger.declare, people, datasets=[entry.name], unit=unit)
            error_pages.run_action(lambda: declare(epsilon=epsilon, manager=owner, delta=delta))
