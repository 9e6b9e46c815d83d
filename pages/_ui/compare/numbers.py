"""The numbers of one column: the same for every setting, however far away one looks."""

from pages._ui.cache import attack as cached_attack
from pages._ui.cache import density as cached_density
from pages._ui.cache import estimates as cached_estimates
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.window import declared
from pages._ui.compare.column import Column
from pages._ui.wording.measures import MEAN_ERROR, trip_labels
from pages._ui.wording.numbers import fixed, number, percent, trip_count
from pages._ui.wording.privacy import guess


def density(column: Column) -> dict[str, str]:
    """Return the numbers of one density release."""
    assert column.entry is not None
    key, parameters = column.entry.key, column.settings.density()
    scores = cached_density.scores(key, parameters, column.seed)
    judged = cached_density.judged(key, parameters, column.seed)
    worth = cached_attack.worth_of_density(key, parameters)
    return {
        "Usable zones": f"{judged.usable_zones:,} of {judged.zones:,}",
        "Relative error (MRE)": "–" if scores.exceeded else percent(scores.mean_error),
        "Rhythm kept (Pearson r)": fixed(scores.mean_correlation),
        "Error of the total": percent(scores.total_error),
        "Best guess about a person": guess(worth.best_guess, 1),
        "ε of a person in all": number(worth.total_epsilon, 4),
    }


def trips(column: Column) -> dict[str, str]:
    """Return the numbers of one matrix, and what all of them cost a person."""
    assert column.entry is not None
    about, parameters = column.entry.metadata, column.settings.trips()
    key, window = column.entry.key, declared(parameters)
    added_up = len(about.periods) < len(about.days)
    worth = cached_attack.worth_of_trips(parameters, len(about.days), added_up=added_up)
    return {
        **(_ours(column) if column.settings.od_method == "estimate" else _published(column)),
        "True trips between zones": f"{int(cached_trips.truth(key, window).sum()):,}",
        "Best guess, all released": guess(worth.best_guess, 1),
        "ε of a person in all": "not bounded"
        if parameters.unit == "trip"
        else number(worth.total_epsilon, 4),
    }


def _published(column: Column) -> dict[str, str]:
    assert column.entry is not None
    parameters = column.settings.trips()
    exact = cached_trips.numbers(column.entry.key, parameters, declared(parameters))
    labels = trip_labels("τ or more")
    return {
        "Trips in usable flows": percent(exact.judged.usable_share),
        labels["median_error"]: trip_count(exact.scores.median_error),
        labels["relative_error"]: percent(exact.scores.relative_error),
        labels["visible_share"]: percent(exact.scores.visible_share),
        labels["zero_share"]: percent(exact.scores.zero_share),
    }


def _ours(column: Column) -> dict[str, str]:
    """Return what one draw of our method says; it has no exact law."""
    assert column.entry is not None
    parameters = column.settings.trips()
    errors = cached_estimates.compared(
        column.entry.key, parameters, column.seed, declared(parameters), 0
    ).ours
    return {
        f"{MEAN_ERROR} (this draw)": trip_count(errors.mean_error),
        "Error of totals leaving zones (this draw)": percent(errors.outgoing_error),
        "Common part of commuters (this draw)": percent(errors.common_part),
    }
