"""Regret of what is recommended on twins: ``python -m research twin``, about ten minutes.

Real data (MiBici, where it is at hand) and shipped datasets stand for the confidential ones; their
twins get the places, the number of people and of trips, and nothing else of them.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from itertools import product
from pathlib import Path

import geopandas as gpd
import numpy as np

from engine import datasets, frontier, origin_destination as od
from engine.datasets import Dataset
from engine.errors import ExplorerError
from engine.frontier import ensemble
from engine.ingest import IngestOptions, ingest
from engine.synthetic.twin import twin
from engine.synthetic.twininputs import TwinInputs, ensemble as corners
from research.rows import Row, row

SHIPPED = ("demo-city", "rwanda-districts", "rwanda-sectors", "afghanistan-provinces")
MIBICI = Path(__file__).parents[2] / "shared" / "data" / "mibici"
MAPPING = {
    "uid": "Usuario_Id",
    "datetime": "Inicio_del_viaje",
    "end_datetime": "Fin_del_viaje",
    "origin": "Origen_Id",
    "destination": "Destino_Id",
}
RISKS = (0.60, 0.75, 0.90, 0.99)
TIMES = ("day", "week", "period")
ZONES = (None, 100, 30, 10)
"""The least number of zones; None needs all."""


def rows() -> Iterator[Row]:
    """Yield regret of use and of error for every need and limit of risk, then their spread."""
    regrets: list[tuple[float, float]] = []
    kept = tempfile.TemporaryDirectory()  # true counts of real people go when this ends
    shipped = {name: datasets.load(name) for name in SHIPPED}
    for name, dataset in (shipped | months(Path(kept.name))).items():
        with tempfile.TemporaryDirectory() as folder:
            twins = [
                twin(places(dataset), inputs, Path(folder) / f"twin-{number}")
                for number, inputs in enumerate(corners(facts(dataset)))
            ]
            for case, use, error, inside in regret(dataset, twins):
                regrets.append((use, error))
                yield row(f"regret, {name}", "use", case, use)
                yield row(f"regret, {name}", "expected absolute error", case, error)
                yield row(f"regret, {name}", "use is in the twins' range", case, inside)
    for what, values in zip(("use", "expected absolute error"), np.transpose(regrets), strict=True):
        for share in (0.5, 0.9, 1.0):
            yield row(
                "regret, all", what, f"{share:.0%} of cases", float(np.quantile(values, share))
            )


def months(root: Path) -> dict[str, Dataset]:
    """Make, below `root`, two months of real trips by bicycle; none where they are not at hand."""
    cities: dict[str, Dataset] = {}
    for month in ("2015_02", "2015_09") if MIBICI.is_dir() else ():
        year, number = map(int, month.split("_"))
        folder = root / f"mibici-{month}"
        ingest(
            IngestOptions(
                kind="trips",
                inputs=(str(MIBICI / f"trips_{month}.csv"),),
                out=folder,
                time_zone="America/Mexico_City",
                first_day=date(year, number, 1),
                last_day=date(year, number, 28),
                locations=MIBICI / "stations.csv",
                people_public=3_000,
                mapping=MAPPING,
            )
        )
        cities[folder.name] = datasets.load(folder)
    return cities


def facts(dataset: Dataset) -> TwinInputs:
    """Return what a custodian would state: people, trips on average, and how many travel at all."""
    metadata = dataset.metadata
    people = metadata.people_public or 1
    days = len(metadata.days)
    table = dataset.trips_by_person.whole
    moving = float(table.n[table.rank == 1].sum()) / people if metadata.simulated else 1.0  # riders
    moved = int(od.truth(dataset).sum())
    return TwinInputs(
        people=people,
        trips_a_day=round(moved / people / days, 2),
        travellers=max(round(moving, 2), 0.01),
        days=days,
        first_day=metadata.first_day,
        time_zone=metadata.time_zone,
        visits_a_week=0.0,
    )


def places(dataset: Dataset) -> gpd.GeoDataFrame:
    """Return the zones, with residents where homes are counted (a census tells them)."""
    zones = dataset.zones.copy()
    if dataset.homes is not None and dataset.metadata.simulated:
        zones["residents"] = dataset.homes
    return zones


def regret(dataset: Dataset, twins: list[Dataset]) -> Iterator[tuple[str, float, float, float]]:
    """Yield need and limit, regret of use, of error, and whether use is in the twins' range."""
    widest = frontier.Need(time="period")
    true = frontier.frontier(dataset, widest)
    judged = [frontier.frontier(one, widest) for one in twins]
    for time, zones, unit in product(TIMES, ZONES, ("person-day", "person")):
        least = len(dataset.zones) if zones is None else zones
        if least > len(dataset.zones) or (zones is not None and least == len(dataset.zones)):
            continue
        try:
            need = frontier.Need(time=time, zones=least, unit=unit)
            least_matrices = need.least_matrices(dataset)
            asked = [
                replace(one, need=need, least_zones=least, least_matrices=least_matrices)
                for one in (true, *judged)
            ]
        except ExplorerError:
            continue
        known = {ensemble.setting(one): one for one in asked[0].candidates}
        for risk in RISKS:
            best = asked[0].recommended(risk)
            chosen = ensemble.Ensemble(tuple(asked[1:])).recommended(risk)
            if best is None or chosen is None:
                continue
            got = known[ensemble.setting(chosen.candidate)]
            case = f"{unit}, {time}, {least} zones, risk {risk:.0%}"
            inside = chosen.least <= got.use <= chosen.most
            yield case, best.use - got.use, got.error / best.error - 1, float(inside)
