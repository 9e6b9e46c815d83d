"""Parents of a simulated country's zones: the districts and provinces they were divided from."""

import geopandas as gpd
import pandas as pd

from engine.synthetic.countryplaces import CountryOutline

PROVINCE = "province"


def with_parents(zones: gpd.GeoDataFrame, plan: CountryOutline) -> gpd.GeoDataFrame:
    """Return zones with a column of ids and one of names for every level above their own.

    A part is called after its whole: ``RWA-3491-01-02`` is ``Southern, district 1, sector 2``.

    Parameters
    ----------
    zones : GeoDataFrame
        ``zone_id``, ``name``, ``geometry`` of one level of `CountryPlaces`.
    plan : CountryOutline
        How the country was divided.

    Examples
    --------
    >>> from engine.synthetic.countries import AFGHANISTAN_2015
    >>> columns = {"zone_id": ["AFG-1741-01"], "name": ["Badghis, district 1"]}
    >>> zone = gpd.GeoDataFrame(columns, geometry=gpd.points_from_xy([63.0], [35.0]), crs=4326)
    >>> with_parents(zone, AFGHANISTAN_2015.plan)["province"].tolist()
    ['Badghis']
    """
    words = (plan.coarse_word, plan.fine_word)
    levels = [PROVINCE, *(word for word in words if word != PROVINCE)]
    ids, names = zones["zone_id"].astype(str), zones["name"].astype(str)
    described = pd.DataFrame(zones)
    parts = int(names.str.count(", ").max())
    for depth, level in enumerate(levels[:parts]):
        dropped = parts - depth
        described = described.assign(
            **{
                f"{level}_id": ids.str.rsplit("-", n=dropped).str[0],
                level: names.str.rsplit(", ", n=dropped).str[0],
            }
        )
    geometry = described.pop("geometry")
    return gpd.GeoDataFrame(described, geometry=geometry, crs=zones.crs)
