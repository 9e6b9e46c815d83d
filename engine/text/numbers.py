"""Numbers as people read them: thousands with commas, shares, distances, names made safe."""

import math
import re
from collections.abc import Sequence

WORD_JOINER = "\u2060"
MAX_FOREIGN_LENGTH = 60
"""So much of a text that comes from outside is shown."""
WEEKDAYS = "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"


def scientific(value: float) -> str:
    """Write a small number as ``2e-6`` (also what stands in the URL)."""
    mantissa, exponent = f"{value:.0e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def number(value: float, digits: int = 2) -> str:
    """Write a number for people: thousands with commas, small ones with `digits` figures.

    A value that does not exist (NaN) is a dash.

    >>> number(12345.6), number(0.12345), number(float("nan"))
    ('12,346', '0.12', '–')
    """
    if not math.isfinite(value):
        return "–"
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.{digits}g}" if abs(value) < 10 else f"{value:.1f}"


def round_up(value: float, digits: int = 3) -> str:
    """Write a number that is needed, such as ε, rounded up to `digits` figures.

    >>> round_up(2.8531), round_up(0.28530, 4), round_up(3.0), round_up(0.0)
    ('2.86', '0.2853', '3', '0')
    """
    if not math.isfinite(value) or value <= 0:
        return f"{value:.{digits}g}"
    step = 10.0 ** (math.floor(math.log10(value)) + 1 - digits)
    return f"{math.ceil(value / step - 1e-9) * step:.{digits}g}"


def percent(share: float) -> str:
    """Write a share as a percentage: one decimal below 100%, none above, and no more than 100 fold.

    >>> percent(0.0456), percent(12.34), percent(0.0001), percent(float("nan")), percent(1e6)
    ('4.6%', '1,234%', '<0.1%', '–', '>10,000%')
    """
    if not math.isfinite(share):
        return "–"
    value = 100 * share
    if 0 < abs(value) < 0.05:
        return "<0.1%"
    if value > 10_000:
        return ">10,000%"
    return f"{value:.1f}%" if abs(value) < 99.95 else f"{value:,.0f}%"


def format_wait(seconds: float) -> str:
    """Write how long something takes, rounded up: ``about 10 s``, ``about 2 min``.

    >>> format_wait(0.2), format_wait(6.1), format_wait(31), format_wait(61)
    ('about 1 s', 'about 7 s', 'about 40 s', 'about 2 min')
    """
    if seconds > 60:
        return f"about {math.ceil(seconds / 60):,} min"
    step = 1 if seconds <= 10 else 10
    return f"about {max(math.ceil(seconds / step), 1) * step} s"


def metres(value: float) -> str:
    """Write a distance: metres below one kilometre, else kilometres."""
    if not math.isfinite(value):
        return "–"
    return f"{value:.0f} m" if value < 999.5 else f"{value / 1000:.1f} km"


def hour_of_week(hour: int) -> str:
    """Write an hour of the week, Monday 00:00 first.

    >>> hour_of_week(66)
    'Wed 18:00'
    """
    return f"{WEEKDAYS[hour // 24]} {hour % 24:02d}:00"


def join_words(parts: Sequence[str]) -> str:
    """Join words with commas and a last *and*."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def make_inert(text: str, max_length: int | None = MAX_FOREIGN_LENGTH) -> str:
    r"""Return a text from outside that Markdown shows as it is: no link, picture, icon or colour.

    Every such text on a page goes through here, or is escaped as HTML. A sentence that only quotes
    one keeps its length with `max_length` None.

    >>> print(make_inert("![x](http://a.b)").replace(WORD_JOINER, ""))
    \!\[x\]\(http\:\/\/a\.b\)
    >>> len(make_inert("x" * 100))
    60
    """
    words = " ".join(text.split())
    if max_length is not None and len(words) > max_length:
        words = f"{words[: max_length - 1]}…"
    # a hyphen inside a word has no effect, and readers aloud would hear the backslash
    escaped = re.sub(r"((?<!\w)-|-(?!\w)|[!-,./:-@\[-`{-~])", r"\\\1", words)
    # addresses and one icon take effect even so, unless something invisible stands in them
    return re.sub(r"(?i)(\\:\\/|\\:(?=streamlit)|www(?=\\\.)|\\@)", f"\\1{WORD_JOINER}", escaped)


def decimal(value: float) -> str:
    """Write a correlation with three decimals; a dash where there is none."""
    return f"{value:.3f}".replace("-", "−") if math.isfinite(value) else "–"


def signed_percent(share: float) -> str:
    """Write a change as a percentage with its sign.

    >>> signed_percent(-0.5), signed_percent(0.021)
    ('−50%', '+2.1%')
    """
    if not math.isfinite(share):
        return "–"
    value = 100 * share
    digits = f"{abs(value):.1f}" if abs(value) < 9.95 else f"{abs(value):,.0f}"
    return f"{'−' if value < 0 else '+'}{digits}%"


def count_noun(count: float, noun: str) -> str:
    """Write a count with its noun, in the singular where it is one."""
    return f"{number(count)} {noun}{'' if count == 1 else 's'}"


def trip_count(value: float) -> str:
    """Write a number of trips with its unit.

    >>> trip_count(1), trip_count(8.43), trip_count(0.00006), trip_count(float("nan"))
    ('1 trip', '8.4 trips', 'under 0.01 trips', '–')
    """
    if 0 < value < 0.01:
        return "under 0.01 trips"
    return count_noun(value, "trip") if math.isfinite(value) else number(value)


def file_size(number: float) -> str:
    """Write a number of bytes.

    >>> file_size(900), file_size(2_585_250), file_size(41e6)
    ('900 bytes', '2.6 MB', '41 MB')
    """
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= scale:
            return f"{number / scale:.{1 if number < 10 * scale else 0}f} {unit}"
    return f"{number:.0f} bytes"
