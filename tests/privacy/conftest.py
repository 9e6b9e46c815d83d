"""Who sees what: the datasets of the page tests, of which ``town`` is of real people."""

from tests.pages.conftest import (
    _use_data_root,
    data_root,
    long_work_stays_here,
    open_home,
    open_page,
    settled,
    temporary,
    unforeseen_errors_are_raised,
)

__all__ = [
    "_use_data_root",
    "data_root",
    "long_work_stays_here",
    "open_home",
    "open_page",
    "settled",
    "temporary",
    "unforeseen_errors_are_raised",
]
