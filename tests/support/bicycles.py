"""Three days of trips that look like those by public bicycle, as a dataset."""

from pathlib import Path

import numpy as np

from engine.ingest.command import main as ingest

COLUMNS = ("Usuario_Id", "Inicio_del_viaje", "Fin_del_viaje", "Origen_Id", "Destino_Id")
ROLES = ("uid", "datetime", "end_datetime", "origin", "destination")


def bicycles(folder: Path, out: Path) -> None:
    """Make three days of 2,500 people's trips, most of them between home and work."""
    rng, table, places = np.random.default_rng(9), folder / "trips.csv", folder / "stations.csv"
    stations = [f"{i},S{i},{20.6 + i % 9 / 50},{-103.4 + i // 9 / 50}" for i in range(81)]
    head = "id,name,latitude,longitude"
    places.write_text("\n".join([head, *stations]), encoding="utf-8")
    rows = [",".join(COLUMNS)]
    for person in range(2_500):
        home, work = rng.integers(0, 81, 2)
        for day in rng.integers(1, 4, rng.geometric(1 / 8)):
            rows += [
                f"{person},2015-09-{day:02d} {hour:02d}:00:00,"
                f"2015-09-{day:02d} {hour:02d}:20:00,{start},{end}"
                for hour, start, end in ((8, home, work), (18, work, home))
            ]
    table.write_text("\n".join(rows), encoding="utf-8")
    typed = [
        *("trips", str(table), "--locations", str(places)),
        *("--map", *(f"{role}={column}" for role, column in zip(ROLES, COLUMNS, strict=True))),
        *("--from", "2015-09-01", "--to", "2015-09-03", "--timezone", "America/Mexico_City"),
    ]
    assert ingest([*typed, "--out", str(out)]) == 0
