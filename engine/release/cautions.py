"""Where a reader of a release would be misled, by the law of the noise alone: no count is read."""

from ..origin_destination.laws import NoiseLaw

PHANTOMS = 0.005
"""An empty pair that is shown more often than this fills a sparse map with noise."""

SMALL_FLOW = 15
"""Trips; the usual τ. A bar this wide swallows what most readers would call a flow."""


def phantom_trips(law: NoiseLaw, least: int) -> float:
    """Return the trips that an empty pair shows on average: E[Z; Z ≥ least].

    The noise beyond a bound of at least 1 is geometric: P(Z ≥ j)·(j + q/(1 − q)).

    Examples
    --------
    >>> round(phantom_trips(NoiseLaw(0.1, "discrete_laplace"), 15), 2)
    2.87
    """
    return float(law.tail(least) * (least + law.excess))


def shown_flows(law: NoiseLaw, least: int, bar: int, cells: int) -> tuple[str, ...]:
    """Return the warnings of flows of which those below `least` are suppressed."""
    shown, trips = float(law.tail(least)), phantom_trips(law, least)
    warnings: list[str] = []
    if shown >= PHANTOMS:
        warnings.append(
            f"NOISE IS SHOWN AS FLOWS. A flow without a kept trip is shown in {shown:.1%} of "
            f"cases. Were all flows empty, about {shown * cells:,.0f} of {cells:,} numbers would "
            f"still be shown, and flows.csv would add up to {trips * cells:,.0f} trips. Unless far "
            "more flows are real, most of what is shown is noise: add up zones.parquet instead of "
            "flows.csv."
        )
    if bar >= least:
        warnings.append(
            f"BARS ARE WIDER THAN COUNTS. The 90% error bar of a flow is ± {bar:,} trips: a flow "
            f"that reads {bar:,} or less may as well be empty."
        )
    return tuple(warnings)


def measured_flows(bar: int) -> tuple[str, ...]:
    """Return the warning of flows that are measured and not suppressed."""
    if bar < SMALL_FLOW:
        return ()
    return (
        f"BARS ARE WIDER THAN COUNTS. The 90% error bar of one measured flow is ± {bar:,} trips: "
        "by itself, a flow that measures less may as well be empty. Below that, what you read is "
        "mostly the model's.",
    )


def zone_totals(bar: float, least: float, unit: str) -> tuple[str, ...]:
    """Return the warning of totals whose noise can outweigh what is counted."""
    if bar < least:
        return ()
    return (
        f"ZONE TOTALS MAY BE NEGATIVE. They are unbiased sums with a 90% error bar of ± {bar:,.0f} "
        f"{unit}. Keep negative ones in sums; read them as 0 only one by one.",
    )


def raised_to_zero(mean: float, what: str, instead: str) -> tuple[str, ...]:
    """Return the warning of numbers whose negative noise was set to 0.

    Parameters
    ----------
    mean : float
        What such a number reads on average where nothing was counted.
    what, instead : str
        Which numbers, and what to add up.
    """
    if mean < 0.5:
        return ()
    return (
        f"SUMS OF SMALL NUMBERS ARE TOO HIGH. Negative counts are set to 0, so that {what} where "
        f"nothing was counted reads {mean:,.3g} on average. {instead}",
    )
