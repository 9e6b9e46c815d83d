"""Checks shared by all settings: each `ParameterError` says rule, value and remedy."""

import math
from collections.abc import Callable, Collection
from numbers import Integral, Real
from zoneinfo import ZoneInfo

from .errors import ParameterError


def check_above(name: str, value: object, bound: float, remedy: str) -> float:
    """Return `value` as a float if it is a finite real number strictly above `bound`."""
    rule = f"must be a finite number above {bound:g}"
    return _check_number(name, value, rule, remedy, lambda number: number > bound)


def check_at_least(name: str, value: object, low: float, remedy: str) -> float:
    """Return `value` as a float if it is a finite real number of at least `low`."""
    rule = f"must be a finite number of at least {low:g}"
    return _check_number(name, value, rule, remedy, lambda number: number >= low)


def check_within(name: str, value: object, limits: tuple[float, float], remedy: str) -> float:
    """Return `value` as a float from the first to the second of `limits`, both included."""
    low, high = limits
    rule = f"must be a number from {low:g} to {high:g}"
    return _check_number(name, value, rule, remedy, lambda number: low <= number <= high)


def check_inside(name: str, value: object, low: float, high: float, remedy: str) -> float:
    """Return `value` as a float if ``low < value < high``."""
    rule = f"must be a number above {low:g} and below {high:g}"
    return _check_number(name, value, rule, remedy, lambda number: low < number < high)


def check_whole_number(
    name: str, value: object, low: int, high: int | None = None, *, remedy: str
) -> int:
    """Return `value` as an int if it is a whole number in ``[low, high]``."""
    limits = f"of at least {low}" if high is None else f"from {low} to {high}"

    def holds(number: float) -> bool:
        return number == math.floor(number) and low <= number and (high is None or number <= high)

    number = _check_number(name, value, f"must be a whole number {limits}", remedy, holds)
    return int(value) if isinstance(value, Integral) else int(number)


def check_one_of(name: str, value: object, choices: Collection[str], remedy: str) -> str:
    """Return `value` if it is one of `choices`; raise `ParameterError` otherwise."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise _parameter_error(name, f"must be one of {listed}", value, remedy)
    return value


def check_time_zone(name: str, value: str) -> str:
    """Return `value` if it is an IANA time zone; raise `ParameterError` otherwise."""
    try:
        ZoneInfo(value)
    except (KeyError, ValueError, OSError):
        rule = "must be an IANA name such as 'America/Mexico_City'"
        raise _parameter_error(
            name, rule, value, ("a time such as '04:00' has no meaning without a time zone")
        ) from None
    return value


def check_rule(holds: bool, rule: str, value: str, remedy: str, *settings: str) -> None:
    """Raise `ParameterError` with rule, value and remedy unless the rule `holds`."""
    if not holds:
        raise ParameterError(rule, value=value, remedy=remedy, settings=settings)


def to_real(value: object) -> float | None:
    """Return `value` as a float, or None where it is no real number (booleans are none)."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _check_number(
    name: str, value: object, rule: str, remedy: str, holds: Callable[[float], bool]
) -> float:
    number = to_real(value)
    if number is None or not math.isfinite(number) or not holds(number):
        raise _parameter_error(name, rule, value, remedy)
    return number


def _parameter_error(name: str, rule: str, value: object, remedy: str) -> ParameterError:
    return ParameterError(
        f"{name} {rule}", value=repr(value), remedy=remedy, code="outside-domain", settings=(name,)
    )
