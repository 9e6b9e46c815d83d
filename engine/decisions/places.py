"""Zones by their ids, in the order of the dataset."""

from collections.abc import Sequence

from ..datasets import Dataset
from ..errors import ParameterError


def zone_ids(dataset: Dataset) -> list[str]:
    """Return the ids of the zones in the order of all arrays."""
    return [str(zone) for zone in dataset.zones["zone_id"]]


def zone_positions(dataset: Dataset, ids: Sequence[str], name: str) -> tuple[int, ...]:
    """Return the positions of zones in the dataset's order.

    Raises `ParameterError` if none is named, one is named twice or is not in the dataset.
    """
    position = {zone: i for i, zone in enumerate(zone_ids(dataset))}
    wanted = [ids] if isinstance(ids, str) else list(ids)
    unknown = [zone for zone in wanted if zone not in position]
    if unknown or not wanted or len(set(wanted)) < len(wanted):
        got = f"'{unknown[0]}'" if unknown else ("none" if not wanted else "a repeated zone")
        raise ParameterError(
            f"{name} must name zones of dataset '{dataset.id}', each once",
            value=got,
            remedy="take ids from the column zone_id of its zones",
            settings=(name,),
        )
    return tuple(position[zone] for zone in wanted)
