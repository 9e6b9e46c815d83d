"""Posterior laws on a grid of counts: what a noisy cell says under a prior, for all cells at once.

Noisy counts below 0 are read as 0: there the noise says the same of every count m ≥ 0, up to a
factor. With a prior p(m), q = e^(−a) and y ≥ 0 the posterior is p(m)·q^|y − m|/N(y). Its pieces
A(y) = Σ_{m ≤ y} p(m) q^(y − m) and B(y) = Σ_{m > y} p(m) q^(m − y) follow from one recursion each.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from engine.arrays import Floats, Integers

NODES = 2048
"""Most nodes: counts 0 … 2047, or as many packets of trips where the noise is wide."""

PACKETS_A_SCALE = 32
LARGE_SCALES = 12.0
"""A cell closer than this to the end of the nodes is read as it is; it is far above the noise."""

TAIL_EXPONENT = 1.5
_FIRST = 16


@dataclass(frozen=True, kw_only=True, eq=False)
class CountGrid:
    """Counts 0, u, 2u, … of packets of u trips, with u = 1 unless the noise is wide.

    Attributes
    ----------
    rate : float
        a of the noise, per trip.
    packet : int
        u, trips.
    nodes : int
        Number of nodes.
    """

    rate: float
    packet: int
    nodes: int

    @classmethod
    def of_cells(cls, cells: Integers, rate: float) -> "CountGrid":
        """Return the grid that holds these noisy counts, up to the largest that it can."""
        packet = max(1, int(np.ceil(1 / rate / PACKETS_A_SCALE)))
        reach = LARGE_SCALES / rate
        held = cells[cells <= NODES * packet - reach].max(initial=0)
        return cls(rate=rate, packet=packet, nodes=min(NODES, int((held + reach) / packet) + 32))

    def is_large(self, cells: Integers) -> NDArray[np.bool_]:
        """Return which noisy counts are too large for the grid."""
        return cells > self.nodes * self.packet - LARGE_SCALES / self.rate

    def node_of(self, cells: Integers) -> Integers:
        """Return the node nearest to each noisy count; 0 for those below 0 or too large."""
        held = np.where(self.is_large(cells), 0, np.maximum(cells, 0))
        return (held + self.packet // 2) // self.packet

    def negative_binomial(self, mean: Floats, shape: float) -> Floats:
        """Return P(M is nearest to a node), shape (means, nodes).

        M is Poisson with a gamma intensity of that mean and shape κ: negative binomial.
        """
        share = mean / (mean + shape)
        m = np.arange(self.nodes) * self.packet - self.packet // 2 + (self.packet - 1) / 2
        m[0] = 0.0
        of_count = special.gammaln(m + shape) - special.gammaln(shape) - special.gammaln(m + 1)
        log_pmf = np.outer(np.log(share), m) + shape * np.log1p(-share)[:, None] + of_count
        pmf = self.packet * np.exp(np.maximum(log_pmf, -700.0))
        if self.packet > 1:
            # the middle of a packet stands for all of it, except in the first few:
            # P(M < n) = 1 − I(n, κ), the regularised incomplete beta function at `share`
            below = special.betaincc(self._edges()[None, 1 : _FIRST + 1], shape, share[:, None])
            pmf[:, :_FIRST] = np.diff(below, axis=1, prepend=0.0)
        return pmf

    def heavy_tail(self) -> Floats:
        """Return the law ∝ (1 + m)^−1.5 on the nodes."""
        above = special.zeta(TAIL_EXPONENT, 1.0 + self._edges()) / special.zeta(TAIL_EXPONENT)
        return above[:-1] - above[1:]

    @property
    def tail_at_0(self) -> float:
        """The heavy tail's P(M = 0)."""
        return float(1 / special.zeta(TAIL_EXPONENT))

    def likelihood(self, priors: Floats) -> Floats:
        """Return N(y) = Σ_m p(m) q^|y − m| at every node, up to the noise's constant."""
        below, above = self._pieces(priors)
        return below + above

    def posterior(self, priors: Floats, none: Floats, confidence: float) -> Floats:
        """Return what every noisy count says under every prior, shape (5, priors, nodes).

        The five are the mean, the median, both ends of the middle `confidence` and P(M = 0).
        `priors` has shape (priors, nodes), `none` is P(M = 0) under each.
        """
        m = np.arange(self.nodes) * float(self.packet)
        below, above = self._pieces(priors)
        evidence = below + above
        mean = self.likelihood(priors * m) / evidence
        side = (1 - confidence) / 2
        bounds = (self._quantile(below, above, evidence, p) for p in (0.5, side, 1 - side))
        empty = none[:, None] * np.exp(-self.rate * m) / evidence
        return np.stack([mean, *bounds, np.minimum(empty, 1.0)])

    def _pieces(self, priors: Floats) -> tuple[Floats, Floats]:
        from scipy import signal  # half a second to load: only whoever estimates waits for it

        decay = np.exp(-self.rate * self.packet)
        recursion = [1.0, -decay]
        below: Floats = np.asarray(signal.lfilter([1.0], recursion, priors, axis=-1))
        backwards: Floats = np.asarray(signal.lfilter([1.0], recursion, priors[:, ::-1], axis=-1))
        above = backwards[:, ::-1]
        return below, above - priors

    def _quantile(self, below: Floats, above: Floats, evidence: Floats, level: float) -> Floats:
        """Least m with P(M ≤ m | y) ≥ level, in trips.

        For m ≤ y that probability is q^(y − m) A(m)/N(y), for m ≥ y it is 1 − q^(m − y) B(m)/N(y).
        """
        slope = self.rate * self.packet * np.arange(self.nodes)
        rising = np.log(below) + slope
        falling = slope - np.log(np.maximum(above, 1e-300))
        up = np.log(level) + np.log(evidence) + slope
        down = slope - np.log(1 - level) - np.log(evidence)
        node = np.arange(self.nodes)
        bounds = np.empty_like(evidence)
        for row in range(len(evidence)):
            least = np.searchsorted(rising[row], up[row] - 1e-9)
            beyond = np.searchsorted(falling[row], down[row] - 1e-9)
            bounds[row] = np.where(least <= node, least, np.maximum(beyond, node))
        return np.minimum(bounds, self.nodes - 1) * self.packet

    def _edges(self) -> Floats:
        """First count of every node, and of what follows the last."""
        starts = np.arange(self.nodes + 1) * self.packet - self.packet // 2
        return np.maximum(starts, 0).astype(np.float64)


def none_of(mean: Floats, shape: float) -> Floats:
    """Return P(M = 0) of the negative binomial law: (1 + λ/κ)^−κ."""
    return np.exp(-shape * np.log1p(mean / shape))
