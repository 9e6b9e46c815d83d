"""The frontier in plain code: every pair compared, every setting judged by itself as home does."""

from collections import Counter
from datetime import date

from engine import origin_destination as od, privacy, resolution, usability
from engine.contract import Seen, When
from engine.frontier import LIMITS, THRESHOLDS, Candidate
from engine.parameters import EPSILON_STOPS, ODParameters
from engine.usability import Flows
from tests.reference.od_people import counted
from tests.support.trips import save_trips


def dominates(one, other):
    """Return whether `one` dominates `other`, from the words of the specification."""
    steps = [int(candidate.use / 0.005 + 1e-9) for candidate in (one, other)]
    errors = [round(candidate.error, 6) for candidate in (one, other)]
    if one.risk > other.risk or one.zones < other.zones or one.matrices < other.matrices:
        return False
    if steps[0] < steps[1] or (steps[0] == steps[1] and errors[0] > errors[1]):
        return False
    same = steps[0] == steps[1] and errors[0] == errors[1]
    same &= (one.risk, one.zones, one.matrices) == (other.risk, other.zones, other.matrices)
    return not same or one.ties < other.ties


def undominated(candidates):
    """Compare every candidate with every other one."""
    return {one for one in candidates if not any(dominates(other, one) for other in candidates)}


def settings(dataset):
    """Yield every setting of the grid: resolution, zones, matrices, parameters."""
    for zones, count in resolution.judged_levels(dataset):
        for time in resolution.judged_steps(dataset):
            matrices = len(resolution.seen_metadata(dataset.metadata, When(step=time)).periods)
            for unit in ("person-day", "person"):
                if unit == "person" and time != "whole":
                    continue
                for limit in LIMITS:
                    for threshold in THRESHOLDS:
                        for epsilon in EPSILON_STOPS:
                            parameters = ODParameters(
                                epsilon=epsilon,
                                max_trips_per_user=limit,
                                suppression_threshold=threshold,
                                unit=unit,
                            )
                            yield (
                                Seen(dataset=dataset.id, zones=zones, when=When(step=time)),
                                count,
                                matrices,
                                parameters,
                            )


def judged_as_home(dataset, view, seen, zones, matrices, parameters):
    """Return one setting as home shows it: the expectation of its own window, then its verdict."""
    days = len(dataset.metadata.days)
    whole = parameters.unit == "person"
    window = {"days": None, "sum_days": True} if whole else {"days": 0}
    exact = od.expected(view, parameters, **window)
    risk = privacy.risk_of_trips(parameters, privacy.days_by_matrix(view.metadata))
    trips = exact.histogram.true_trips
    return Candidate(
        parameters=parameters,
        seen=seen,
        zones=zones,
        matrices=matrices,
        days=days,
        risk=risk.best_guess,
        use=usability.judge_trips(Flows.of(exact.histogram), parameters).usable_share,
        error=exact.split.total / trips if trips else 0.0,
    )


def brute_force(dataset):
    """Judge every setting by itself; the view is opened once for each resolution."""
    views = {}
    for seen, zones, matrices, parameters in settings(dataset):
        key = (seen, parameters.unit == "person")
        if key not in views:
            # home adds the days of a person's matrix up itself
            when = When() if key[1] else seen.when
            views[key] = resolution.look_at(dataset, seen.zones, when)
        yield judged_as_home(dataset, views[key], seen, zones, matrices, parameters)


def small_trips(folder, people, *, zones=6, days=3, have_people=True, by_person=True, public=None):
    """Save a dataset of people [[(day, origin, destination), …], …] with two provinces."""

    def table(per_day):
        rows = counted(people, per_day=per_day)
        return [*zip(rows.day, rows.origin, rows.destination, rows.rank, rows.n, strict=True)]

    return save_trips(
        folder,
        table(True),
        zones=zones,
        days=days,
        first=date(2024, 3, 4),
        by_person=table(False) if by_person else None,
        parents=["a" if 2 * i < zones else "b" for i in range(zones)],
        people_public=public,
        trips_have_people=have_people,
    )


def made_by_hand(people):
    """Return how many people made so many trips."""
    return dict(Counter(len(trips) for trips in people))
