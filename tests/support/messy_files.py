"""Look-alikes of real files: the same forty trips, written in twenty ways."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from tests.support.ingests import TOWERS

ZONE = ZoneInfo("America/Mexico_City")
POSITION = {name: (lat, lng) for name, lat, lng in TOWERS}


def trips() -> list[tuple[str, datetime, str, str]]:
    """Forty trips on all days of September, so that days above 12 occur."""
    rng = np.random.default_rng(6)
    names = list(POSITION)
    rows = []
    for i in range(40):
        start, end = rng.choice(len(names), 2, replace=False)
        at = datetime(2015, 9, 1 + i % 30, int(rng.integers(0, 24)), int(rng.integers(0, 60)))
        rows.append((f"{i % 7 + 1}", at, names[start], names[end]))
    return rows


Row = tuple[str, datetime, str, str]
HEADER = ["uid", "datetime", "origin", "destination"]


def lines(row: Callable[[Row], list[Any]], header: list[str] = HEADER, mark: str = ",") -> str:
    return "\n".join(mark.join(map(str, r)) for r in [header, *map(row, trips())]) + "\n"


def dated(pattern: str) -> Callable[[Row], list[Any]]:
    return lambda r: [r[0], r[1].strftime(pattern), r[2], r[3]]


def instant(at: datetime) -> float:
    return at.replace(tzinfo=ZONE).timestamp()


def excel_day(at: datetime) -> str:
    return f"{(at - datetime(1899, 12, 30)) / timedelta(days=1):.6f}"


def by_points(row: Row) -> list[Any]:
    return [row[0], row[1].isoformat(), *POSITION[row[2]], *POSITION[row[3]]]


TAXI = ["id", "tpep_pickup_datetime", "pickup_latitude", "pickup_longitude"]
TAXI = ["user_id", *TAXI[1:], "dropoff_latitude", "dropoff_longitude"]


def comma(row: Row) -> list[Any]:
    return [row[0], row[1].strftime("%d/%m/%Y %H:%M"), *(
        str(v).replace(".", ",") for v in (*POSITION[row[2]], *POSITION[row[3]])
    )]  # fmt: skip


DMY, MDY = "%d/%m/%Y %H:%M:%S", "%m/%d/%Y %I:%M:%S %p"
MESSY: dict[str, bytes] = {
    "semicolon": lines(dated("%Y-%m-%d %H:%M:%S"), mark=";").encode(),
    "tab": lines(dated("%Y-%m-%d %H:%M:%S"), mark="\t").encode(),
    "bar": lines(dated("%Y-%m-%d %H:%M:%S"), mark="|").encode(),
    "bom": b"\xef\xbb\xbf" + lines(dated("%Y-%m-%d %H:%M:%S")).encode(),
    "windows": lines(dated(DMY), ["usuario", "fecha_hora", "origen", "destino"], ";")
    .replace("\n", "\r\n")
    .encode("windows-1252"),
    "accents": lines(dated(DMY), ["usuário", "início", "origen", "destino"], ";").encode("cp1252"),
    "utf16": lines(dated("%Y-%m-%d %H:%M:%S")).encode("utf-16"),
    "blank_lines": b"\n\n" + lines(dated("%Y-%m-%d %H:%M:%S")).encode(),
    "day_first": lines(dated(DMY)).encode(),
    "day_dots": lines(dated("%d.%m.%Y %H:%M")).encode(),
    "day_short": lines(
        lambda r: [r[0], f"{r[1].day}/{r[1].month}/15 {r[1]:%H:%M}", *r[2:]]
    ).encode(),
    "american": lines(dated(MDY)).encode(),
    "american_short": lines(
        lambda r: [r[0], f"{r[1].month}/{r[1].day}/2015 {r[1]:%I:%M%p}", *r[2:]]
    ).encode(),
    "slashes": lines(dated("%Y/%m/%d %H:%M")).encode(),
    "milliseconds": lines(lambda r: [r[0], int(1_000 * instant(r[1])), *r[2:]]).encode(),
    "spreadsheet": lines(lambda r: [r[0], excel_day(r[1]), *r[2:]]).encode(),
    "split_hour": lines(
        lambda r: [r[0], r[1].strftime("%d/%m/%Y"), r[1].strftime("%H:%M:%S"), *r[2:]],
        ["usuario", "fecha", "hora", "origen", "destino"],
    ).encode(),
    "split_number": lines(
        lambda r: [r[0], r[1].strftime("%Y%m%d"), r[1].strftime("%H%M"), *r[2:]],
        ["user", "date", "time", "origin", "destination"],
    ).encode(),
    "taxi": lines(by_points, TAXI).encode(),
    "taxi_comma": lines(comma, TAXI, ";").encode("utf-8-sig"),
}
