"""Seeds of the noise: fixed for simulated people, secret for real ones."""

import secrets

from pages._ui.app.catalogue import Entry
from pages._ui.app.session import session

Seed = tuple[int, int]
"""Secret (or, for simulated people, fixed) number and the count of redraws."""

SIMULATED_SEED = 20140824


def redraw() -> None:
    """Draw other noise with the same settings (a callback)."""
    session().redraw_count += 1


def seed(entry: Entry) -> Seed:
    """Return the seed of the noise for a dataset: fixed for simulated people, else secret."""
    memo = session()
    if entry.metadata.simulated:
        return SIMULATED_SEED, memo.redraw_count
    secret = memo.secret_seeds.setdefault(entry.key, secrets.randbits(128))
    return secret, memo.redraw_count


def utility_seed(entry: Entry) -> int:
    """Return the seed of the draws by which use is judged, alike on every page of a session."""
    return 0 if entry.metadata.simulated else seed(entry)[0]
