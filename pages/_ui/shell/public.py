"""Whether this server is open to everybody: then it shows simulated people only and makes nothing.

Said by ``MOBILITY_PUBLIC=1`` or ``streamlit run app.py -- --public``.
"""

import os
import sys

PUBLIC = "MOBILITY_PUBLIC"
NOT_PUBLIC = ("7_Release.py", "8_Data.py")
"""Files of the pages that a public server does not have."""


def public() -> bool:
    """Whether the server was started for the public."""
    said = os.environ.get(PUBLIC, "").strip().lower()
    return said not in ("", "0", "false", "no", "off") or "--public" in sys.argv[1:]


def refused(file: str) -> bool:
    """Whether a page, by the name of its file, must not be shown here."""
    return public() and file in NOT_PUBLIC
