"""Zones by name in the pickers of the page."""

from pages._ui.cache import datasets as cached_datasets


def ids(key: str) -> tuple[str, ...]:
    """Return the ids of a dataset's zones in their order."""
    return tuple(str(zone) for zone in cached_datasets.dataset(key).zones["zone_id"])


def names(key: str) -> dict[str, str]:
    """Return id → name, with the id where a name occurs twice."""
    zones = cached_datasets.dataset(key).zones
    plain = zones["name"].astype(str)
    double = plain.duplicated(keep=False)
    return {
        zone: f"{name} ({zone})" if twice else name
        for zone, name, twice in zip(ids(key), plain, double, strict=True)
    }
