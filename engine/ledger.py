"""The privacy ledger: what every stage reads, adds and costs, and what it comes to in all."""

from dataclasses import dataclass
from typing import Literal

Norm = Literal["L1", "L2", "–"]
Notion = Literal["ε-DP", "(ε, δ)-DP", "(ε, δ)-probabilistic DP"]
"""What a total states: pure DP; (ε, δ)-DP; or probabilistic DP (P1, Definition 2), which is ε-DP
except on a set of outputs of probability at most δ and therefore the stronger of the two."""

_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One step of a mechanism, with the share of the budget that its paper charges for it.

    Attributes
    ----------
    name, reads, mechanism : str
        What happens, which data it touches and how it is perturbed, in plain words.
    sensitivity : float
        Largest change of what is read when one unit of protection comes or goes, measured in
        `norm`; 0 where nothing confidential is read.
    noise_scale : float or None
        Scale of the Laplace noise or standard deviation of the Gaussian, in the units of what is
        read; None where the stage adds no noise of a fixed scale.
    epsilon, delta : float
        The published share.
    """

    name: str
    reads: str
    mechanism: str
    sensitivity: float
    norm: Norm
    noise_scale: float | None
    epsilon: float
    delta: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """All stages of a release and its three totals (erratum D1), each with its notion.

    Attributes
    ----------
    stages : tuple of Stage
        In the order in which they run.
    published_epsilon : float
        What the paper charges: the setting ε.
    pure_epsilon : float
        What simple composition, the paper's own argument, can prove.
    proved_epsilon : float
        The best total proved here.
    delta : float
        The δ at which all totals hold; 0 where the mechanism spends none.
    published_notion, pure_notion, proved_notion : str
        What each total states. A published claim that is not a theorem keeps its own notion.
    unit : str
        The unit of protection, such as "one person, the whole week".

    Examples
    --------
    >>> stage = Stage(name="counts", reads="trips", mechanism="Laplace", sensitivity=1.0,
    ...               norm="L1", noise_scale=2.0, epsilon=0.5)
    >>> simple_ledger((stage,), unit="one trip").proved_epsilon
    0.5
    """

    stages: tuple[Stage, ...]
    published_epsilon: float
    pure_epsilon: float
    proved_epsilon: float
    delta: float
    published_notion: Notion
    pure_notion: Notion
    proved_notion: Notion
    unit: str

    @property
    def proved_exceeds_published(self) -> bool:
        """Whether the best proved total is above what is published, beyond rounding."""
        return self.exceeds(self.published_epsilon)

    def exceeds(self, epsilon: float) -> bool:
        """Return whether the best proved total is above `epsilon`, beyond rounding."""
        return is_above(self.proved_epsilon, epsilon)


def is_above(total: float, epsilon: float) -> bool:
    """Return whether a total is above `epsilon`, beyond rounding.

    Examples
    --------
    >>> is_above(0.3, 0.1 + 0.2), is_above(0.31, 0.3)
    (False, True)
    """
    return total > epsilon * (1 + _ROUNDING)


def simple_ledger(stages: tuple[Stage, ...], *, unit: str) -> Ledger:
    """Return the ledger of stages whose shares simply add up, with nothing left to dispute.

    All three totals are the sum of the shares; with a δ of 0 they state pure DP.
    """
    total = sum(stage.epsilon for stage in stages)
    delta = sum(stage.delta for stage in stages)
    notion: Notion = "(ε, δ)-DP" if delta else "ε-DP"
    return Ledger(
        stages=stages,
        published_epsilon=total,
        pure_epsilon=total,
        proved_epsilon=total,
        delta=delta,
        published_notion=notion,
        pure_notion=notion,
        proved_notion=notion,
        unit=unit,
    )
