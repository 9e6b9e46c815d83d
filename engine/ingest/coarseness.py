"""Which zones a dataset gets: those given, or coarser ones."""

from dataclasses import dataclass
from typing import Literal, get_args

from .. import validation
from ..errors import InputError, ParameterError

Zoning = Literal["given", "voronoi", "square", "hexagon", "clusters", "parents"]
MOST_ZONES = 5_000


@dataclass(frozen=True, kw_only=True)
class Coarseness:
    """Which zones are built from the places.

    Parameters
    ----------
    zoning : str
        ``given`` (the zones file, or one cell a place without one), ``voronoi`` (a cell a place),
        ``square``, ``hexagon`` (H3 cells), ``clusters`` of neighbouring places, or ``parents``
        named by a column of the zones file.
    size_m : float
        Width of a square, or between opposite sides of a hexagon, in metres.
    clusters : int
        Number of clusters of places.
    parent : str
        Column of the zones file for ``parents``.
    area : (west, south, east, north) or None
        In degrees: the area of a grid where neither places nor zones are given.
    area_from_data : bool
        Whether that area is read from the coordinates of the rows, which a release then states.

    Examples
    --------
    >>> Coarseness(zoning="clusters", clusters=30).clusters
    30
    """

    zoning: Zoning = "given"
    size_m: float = 2_000.0
    clusters: int = 30
    parent: str = ""
    area: tuple[float, float, float, float] | None = None
    area_from_data: bool = False

    def __post_init__(self) -> None:
        validation.one_of("zoning", self.zoning, get_args(Zoning), "'given' takes what is there")
        validation.finite_above("size_m", self.size_m, 10, "2000 is usual in a city")
        validation.whole_number("clusters", self.clusters, 2, MOST_ZONES, remedy="30 is usual")
        if self.zoning == "parents" and not self.parent:
            raise ParameterError(
                "parents need the column of the zones file that names them",
                remedy="name it",
                code="no-parent",
                settings=("parent",),
            )
        if self.area is not None:
            self._check_area(self.area)

    def _check_area(self, area: tuple[float, float, float, float]) -> None:
        west, south, east, north = area
        names = ("west", "south", "east", "north")
        limits = (180, 90, 180, 90)
        for name, value, limit in zip(names, area, limits, strict=True):
            validation.inside_open_interval(
                f"area ({name})", value, -limit - 1e-9, limit + 1e-9, "give degrees"
            )
        if not (west < east and south < north) or self.zoning not in ("square", "hexagon"):
            raise ParameterError(
                "area must be west, south, east, north in degrees, of a grid",
                value=f"{area} for {self.zoning}",
                remedy="give the smaller degrees first, and choose a grid",
                code="area",
                settings=("area", "zoning"),
            )


def check_count(zones: int) -> None:
    """Refuse more zones than can be opened, with the numbers."""
    if zones > MOST_ZONES:
        raise InputError(
            f"{zones:,} zones, more than {MOST_ZONES:,}, which can be neither shown nor protected "
            "well",
            remedy="choose coarser zones: hexagons, squares, or clusters of places",
            code="too-fine",
            settings=("zoning", "size_m", "clusters"),
        )
