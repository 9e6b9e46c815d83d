"""Budget, consent, confirmation, and the release itself."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from engine import datasets, release
from engine.datasets import storage
from engine.errors import ExplorerError
from engine.release import CONSENT, Budget, BudgetLedger, Plan, Product, ReleaseError
from pages._ui.cache import datasets as cached_datasets
from pages._ui.drawing.tables import table_html
from pages._ui.jobs.kept import Kept, follow_kept
from pages._ui.release import tuning, work
from pages._ui.release.wording import NO_BUDGET, UNIT_WORDS, WHOSE, budget_line, cost
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import forget_widget


def folder() -> Path:
    """Return where this computer's bundles lie, an owner-only folder."""
    place = datasets.data_root() / "local" / "releases"
    place.mkdir(parents=True, exist_ok=True)
    storage.make_owner_only(place)
    return place


def draw(plan: Plan, product: Product, entry: Entry, name: str, ledger: BudgetLedger) -> None:
    """Draw budget, cost and confirmation; a press of the button releases."""
    try:
        budget = ledger.covering(entry.name)
    except ReleaseError as problem:
        if problem.code != "no_budget":
            st.error(str(problem), icon=":material/error:")
            return
        _declare(entry, ledger)
        return
    st.markdown(budget_line(budget))
    consent = ""
    if plan.unit == "trip":
        consent = st.text_input("Consent", key="release_consent", placeholder=CONSENT)
    try:
        dataset = cached_datasets.dataset(entry.key)
        budget, charged = release.check(dataset, plan, ledger, consent=consent)
    except ExplorerError as problem:
        st.error(str(problem), icon=":material/block:")
        return
    st.info(cost(plan, budget, charged), icon=":material/payments:")
    tuned, note = tuning.ask(plan, entry)
    typed = st.text_input(
        f"Type {entry.name} to confirm: what is drawn cannot be taken back", key="release_confirm"
    )
    if st.button(
        "Release",
        type="primary",
        icon=":material/outbox:",
        key="release_start",
        disabled=typed != entry.name or work.running(),
    ):
        out = folder() / name
        started = work.start(
            name,
            lambda report: release.release(
                dataset,
                product,
                out,
                ledger=ledger,
                tuning=tuned,
                tuning_note=note,
                consent=consent,
                progress=report,
            ),
        )
        if not started:
            st.toast("Another release is being made on this computer; nothing was spent here.")
        st.rerun()


def draw_work(latest: Kept | None) -> None:
    """Draw the release that runs or was made last, for every session of this computer."""
    if latest is None:
        return
    if latest.state == "running":
        title = f"Releasing {latest.name}"
        follow_kept(latest, work.share, title=title, key="release", stop=None)
        return
    if latest.state == "failed":
        st.error(latest.error, icon=":material/error:")
    elif latest.result is not None:
        st.success(f"Released: {latest.name}", icon=":material/check:")
        bundle(latest.result, "new")
    st.button("Release something else", key="release_again", on_click=_another)


def _another() -> None:
    forget_widget("release_confirm")
    work.dismiss()


def bundle(out: Path, where: str) -> None:
    """Offer a bundle's archive and its statement; `where` tells two places of a page apart."""
    archive, statement = out.parent / f"{out.name}.zip", out / "statement.html"
    with st.container(horizontal=True, gap="small"):
        if archive.is_file():
            st.download_button(
                "Bundle (zip)",
                archive.read_bytes,  # read when it is asked for: a ledger may hold many
                file_name=archive.name,
                mime="application/zip",
                icon=":material/download:",
                key=f"release_zip_{where}_{out.name}",
                on_click="ignore",
            )
        if statement.is_file():
            st.download_button(
                "Statement (HTML)",
                statement.read_bytes,
                file_name=f"{out.name}-statement.html",
                mime="text/html",
                icon=":material/article:",
                key=f"release_statement_{where}_{out.name}",
                on_click="ignore",
            )
    st.caption(f"Kept in local/releases/{out.name} of the data folder, readable by you only.")


def history(ledger: BudgetLedger) -> None:
    """List every release in the ledger, and the bundles that are still on this computer."""
    try:
        entries = ledger.entries()
    except ReleaseError as problem:
        st.error(str(problem), icon=":material/error:")
        return
    done = {entry.body["release"] for entry in entries if entry.kind == "done"}
    rows = [entry for entry in entries if entry.kind == "release"]
    if not rows:
        return
    st.subheader("The ledger", anchor=False)
    count = f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'}"
    st.caption(f"{count}, hashes unbroken; the last one is `{entries[-1].hash}`.")
    st.html(
        table_html(
            {
                "When (UTC)": [row.time.replace("T", " ").removesuffix("+00:00") for row in rows],
                "People": [row.people for row in rows],
                "Dataset": [str(row.body["dataset"]) for row in rows],
                "Product": [str(row.body["product"]) for row in rows],
                "ε spent": [f"{row.body['epsilon']:g}" for row in rows],
                "δ spent": [f"{row.body['delta']:g}" for row in rows],
                "Bundle": ["made" if row.id in done else "not finished; spent" for row in rows],
            }
        )
    )
    bundles = [path for path in sorted(folder().iterdir()) if (path / "SHA256SUMS").is_file()]
    if bundles:
        with st.expander(f"Bundles on this computer ({len(bundles)})"):
            for path in bundles:
                st.markdown(f"**{path.name}**")
                bundle(path, "list")


def _declare(entry: Entry, ledger: BudgetLedger) -> None:
    """Ask for the budget of a dataset's people: a new one, or that of people who have one."""
    st.warning(NO_BUDGET, icon=":material/account_balance:")
    known = ledger.budgets()
    if known:
        whose = st.radio("Whose data is it?", list(WHOSE), format_func=WHOSE.__getitem__)
        if whose == "same":
            _join(entry, ledger, known)
            return
    _declare_new(entry, ledger)


def _join(entry: Entry, ledger: BudgetLedger, known: Mapping[str, Budget]) -> None:
    with st.form("release_join", border=True, enter_to_submit=False):
        people = st.selectbox("The same people as", list(known))
        by = st.text_input("Who says so, and may raise their budget")
        if st.form_submit_button("Share their budget", type="primary"):
            try:
                ledger.join(str(people), dataset=entry.name, by=by)
            except ExplorerError as problem:
                st.error(str(problem))
            else:
                st.rerun()


def _declare_new(entry: Entry, ledger: BudgetLedger) -> None:
    with st.form("release_budget", border=True, enter_to_submit=False):
        people = st.text_input("Name of the people and the period", value=entry.name)
        left, middle, right = st.columns(3)
        unit = left.selectbox(
            "Budget per", list(UNIT_WORDS)[::-1], format_func=UNIT_WORDS.__getitem__
        )
        epsilon = middle.number_input("Total privacy loss (ε)", 0.01, 100.0, 2.0, step=0.5)
        delta = right.number_input("Total δ", 0.0, 0.01, 0.0, step=1e-7, format="%g")
        by = st.text_input("Who declares it, and may raise it")
        if st.form_submit_button("Declare the budget", type="primary"):
            try:
                ledger.declare(
                    people,
                    datasets=[entry.name],
                    unit=unit,
                    epsilon=float(epsilon),
                    delta=float(delta),
                    by=by,
                )
            except ExplorerError as problem:
                st.error(str(problem))
            else:
                st.rerun()
