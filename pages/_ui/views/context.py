"""What a view draws: a dataset, the parameters of one mechanism, its noise, and when."""

from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, Generic, TypeVar

from engine import density, origin_destination, report
from engine.contract import Method, Seen, Setting
from engine.parameters import DensityParameters, GaussianCalibration, ODParameters, gaussian_for
from engine.report import ReportParameters
from pages._ui.cache import verbs
from pages._ui.cache.window import Window, declared
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Seed, Settings, has_part, seed

P = TypeVar("P", bound=DensityParameters | ODParameters | ReportParameters)
T = TypeVar("T", bound=DensityParameters | ODParameters | ReportParameters)


@dataclass(frozen=True)
class Context(Generic[P]):
    """One setting of one mechanism on one dataset: what a page hands to every view.

    Attributes
    ----------
    entry : Entry
        The dataset at the resolution it is seen at.
    parameters : DensityParameters, ODParameters or ReportParameters
        As the mechanism runs; the method is one of them.
    seed : Seed
        Of the noise: the same for the same dataset, whatever is set.
    window : Window or None
        The matrices of flows; a density and a report have one week and one period.
    gaussian : str
        The calibration that is wanted of a density where the classical one reaches.
    """

    entry: Entry
    parameters: P
    seed: Seed
    window: Window | None = None
    gaussian: GaussianCalibration = "classical"

    @property
    def key(self) -> Seen:
        """The dataset as caches know it."""
        return self.entry.key

    @property
    def setting(self) -> Setting:
        """The same as what is judged and released."""
        seen = self.key
        if getattr(self.parameters, "unit", "") == "person":
            seen = replace(seen, when=replace(seen.when, step="whole"))
        return Setting(seen=seen, parameters=self.parameters)

    @property
    def epsilon(self) -> float:
        """The ε that is wanted, as the slider has it."""
        return self.parameters.epsilon

    @property
    def when(self) -> dict[str, Any]:
        """The contract's ``days`` and ``sum_days``, empty where a product has neither."""
        return {} if self.window is None else self.window.arguments

    @property
    def asked(self) -> tuple[Any, ...]:
        """What a cache of draws takes: dataset, parameters, seed, and when if there is a choice."""
        when = () if self.window is None else (self.window,)
        return self.key, self.parameters, self.seed, *when

    @property
    def exact(self) -> tuple[Any, ...]:
        """What a cache without noise takes: the same but for the seed."""
        when = () if self.window is None else (self.window,)
        return self.key, self.parameters, *when

    @property
    def several(self) -> bool:
        """Whether there are several releases, of which the page shows the sum."""
        return self.window is not None and self.window.several

    @property
    def truth(self) -> Any:
        """The confidential counts: visits by zone and hour, or trips from zone to zone."""
        return verbs.truth(self.key, self.window)

    @property
    def release(self) -> Any:
        """The draw on the page, of one matrix where it is of flows."""
        return verbs.release(*self.asked)

    @property
    def expected(self) -> Any:
        """The exact law's answer; None where the method has no law."""
        return None if self.method.expected is None else verbs.expected(*self.exact)

    @property
    def product(self) -> ModuleType:
        """The package of the engine that answers the contract's verbs."""
        return _PRODUCTS[type(self.parameters)]

    @property
    def method(self) -> Method[Any]:
        """What the method uses, has and needs: its row in the product's table."""
        return self.product.METHODS[self.parameters.method]

    @property
    def methods(self) -> "list[Context[P]]":
        """The same by every method that the dataset has the tables for."""
        table: dict[str, Method[Any]] = self.product.METHODS
        return [self.vary(method=key) for key, one in table.items() if one.offered(self.entry)]

    def vary(self, **changes: Any) -> "Context[P]":
        """Return the same with other parameters, such as ``epsilon=0.1`` or ``method="lpa"``.

        The noise stays, so that what differs is the setting's. A density's calibration follows.
        """
        asked: dict[str, Any] = {"epsilon": self.epsilon, **changes}
        if isinstance(self.parameters, DensityParameters):
            method = asked.get("method", self.parameters.method)
            asked["gaussian"] = gaussian_for(method, asked["epsilon"], self.gaussian)
        parameters: Any = replace(self.parameters, **asked)
        return replace(self, parameters=parameters)


Density = Context[DensityParameters]
Flows = Context[ODParameters]

_PRODUCTS: dict[type, ModuleType] = {
    DensityParameters: density,
    ODParameters: origin_destination,
    ReportParameters: report,
}


def of(entry: Entry, parameters: T, window: Window | None = None) -> Context[T]:
    """Return the context of parameters that a page has made, with the dataset's own noise."""
    return Context(entry, parameters, seed(entry), window)


def of_density(settings: Settings) -> Density | None:
    """Return the density that the sidebar sets; None where the dataset has no visits."""
    entry = settings.density_data
    if entry is None or not has_part(entry, "density"):
        return None
    return of(entry, settings.density()).vary()


def of_trips(settings: Settings, window: Window | None = None) -> Flows | None:
    """Return the flows that the sidebar sets, by its method; None where the dataset has no trips.

    Parameters
    ----------
    window : Window or None
        None takes the first declared day, or the whole period at unit person.
    """
    entry = settings.od_data
    if entry is None or not has_part(entry, "trips"):
        return None
    parameters = settings.trips(method=settings.od_method)
    return of(entry, parameters, window or declared(parameters))
