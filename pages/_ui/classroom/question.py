"""What a class votes on: three levers of shipped flows, by role and with a reason."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.frontier import LIMITS
from engine.parameters import EPSILON_STOPS, ODParameters
from engine.resolution import Resolution
from engine.risk import Worth
from pages._ui.cache import attack as cached_attack, facts as cached_facts, trips as cached_trips
from pages._ui.cache.window import declared
from pages._ui.classroom.rooms import Rooms
from pages._ui.shell.catalogue import Entry, shared
from pages._ui.wording.frontier import SPANS, UNITS
from pages._ui.wording.places import zone_words

EPSILONS, TRIPS = EPSILON_STOPS, LIMITS


@dataclass(frozen=True, kw_only=True)
class About:
    """What the presenter has fixed before the vote; public facts alone.

    Attributes
    ----------
    dataset : str
        Name of a shipped dataset.
    unit, time : str
        What is protected, and how long one matrix is: the whole period at unit ``person``.
    threshold : int
        τ.
    """

    dataset: str
    unit: str
    time: str
    threshold: int

    @property
    def words(self) -> str:
        """The same as the end of a sentence."""
        return (
            f"the flows of {self.dataset}, {SPANS[self.time]}, which protect {UNITS[self.unit]}; "
            f"flows below {self.threshold} are suppressed (τ)"
        )


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The three levers that are voted on."""

    epsilon: float
    max_trips: int
    zones: str


@dataclass(frozen=True, kw_only=True)
class Vote:
    """What one participant would choose, in which role, and why."""

    role: str
    reason: str
    choice: Choice


@dataclass(frozen=True)
class Outcome:
    """What a choice means: the two axes of every page."""

    worth: Worth
    use: float


_rooms = Rooms[About, Vote]()


def rooms() -> Rooms[About, Vote]:
    """Return the server's rooms."""
    return _rooms


def entry(about: About) -> Entry:
    """Return the dataset of a room."""
    return shared()[about.dataset]


def levels(of: Entry) -> dict[str, str]:
    """Return the levels of zones to choose from, finest first, and what each is called."""
    offered = cached_facts.levels(of.key.finest)
    return zone_words(offered.named, offered.clusters)


def middle(votes: Sequence[Vote], zones: Sequence[str]) -> Choice:
    """Return the choice of the middle, lever by lever; of two in the middle the smaller.

    Where everybody prefers what lies nearer to her own choice, no other value of a lever wins a
    majority against it.

    Parameters
    ----------
    zones : sequence of str
        Levels of zones, finest first.

    Examples
    --------
    >>> some = [
    ...     Vote(role="", reason="", choice=Choice(epsilon=e, max_trips=t, zones=z))
    ...     for e, t, z in [(0.1, 4, "zones"), (1.0, 1, "zones"), (10.0, 30, "province")]
    ... ]
    >>> middle(some, ["zones", "province"])
    Choice(epsilon=1.0, max_trips=4, zones='zones')
    >>> middle(some[:2], ["zones", "province"]).epsilon
    0.1
    """
    chosen = [vote.choice for vote in votes]
    at = (len(chosen) - 1) // 2
    coarse_first = sorted((one.zones for one in chosen), key=zones.index, reverse=True)
    return Choice(
        epsilon=sorted(one.epsilon for one in chosen)[at],
        max_trips=sorted(one.max_trips for one in chosen)[at],
        zones=coarse_first[at],
    )


def outcome(about: About, choice: Choice) -> Outcome:
    """Return what a choice means, by the functions and caches of every other page."""
    single = about.unit == "trip"
    parameters = ODParameters(
        epsilon=choice.epsilon,
        max_trips_per_user=1 if single else choice.max_trips,
        suppression_threshold=about.threshold,
        unit=about.unit,
    )
    # a person's flows are one matrix of the whole period, however days are counted
    time = "day" if about.unit == "person" else about.time
    seen = entry(about).at(replace(Resolution(zones=choice.zones), time=time))
    days, added_up = len(seen.metadata.days), seen.resolution.time != "day"
    return Outcome(
        cached_attack.worth_of_trips(parameters, days, added_up=added_up),
        cached_trips.usable_share(seen.key, parameters, declared(parameters)),
    )
