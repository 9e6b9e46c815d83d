"""Who may release from the page: this computer's own browser, or whoever was let in on purpose."""

import sys

from pages._ui.shell.local import served_locally
from pages._ui.shell.public import public

SWITCH = "--allow-release"


def releases_allowed() -> bool:
    """Whether a release may be made here: on this computer, or with `SWITCH` on the command."""
    return not public() and (SWITCH in sys.argv or served_locally())
