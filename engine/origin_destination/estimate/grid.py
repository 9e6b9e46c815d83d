"""Posterior laws on a grid of counts: what a noisy cell says under a prior, for all cells at once.

Noisy counts below 0 are read as 0: there the noise says the same of every count m ≥ 0, up to a
factor. With a prior p(m), q = e^(−a) and y ≥ 0 the posterior is p(m)·q^|y − m|/N(y). Its pieces
A(y) = Σ_{m ≤ y} p(m) q^(y − m) and B(y) = Σ_{m > y} p(m) q^(m − y) follow from one recursion each.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from ...arrays import Booleans, Floats, Integers

NODES = 2048
"""Most nodes: counts 0 … 2047, or as many packets of trips where the noise is wide."""

PACKETS_A_SCALE = 32
MARGIN_SCALES = 12.0
"""So far beyond the largest noisy count the nodes go on, in scales of the noise."""

LARGE_SCALES = 7.0
"""A cell closer than this to the end of the nodes is read as it is; it is far above the noise."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CountGrid:
    """Counts 0, u, 2u, … of packets of u trips, with u = 1 unless the noise is wide.

    Attributes
    ----------
    rate : float
        a of the noise, per packet.
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
        most = int(cells.max(initial=0) / packet + MARGIN_SCALES / (rate * packet))
        return cls(rate=rate * packet, packet=packet, nodes=min(NODES, most + 32))

    def holds(self, cells: Integers) -> Booleans:
        """Return which noisy counts are not too large for the grid."""
        return cells <= self.packet * (self.nodes - LARGE_SCALES / self.rate)

    def node_of(self, cells: Integers) -> Integers:
        """Return the node nearest to each noisy count; 0 for those below 0."""
        return (np.maximum(cells, 0) + self.packet // 2) // self.packet

    def negative_binomial(self, mean: Floats, shape: float) -> Floats:
        """Return P(m packets), shape (means, nodes), for intensities of a mean in trips.

        Poisson with a gamma intensity of that mean and shape κ. Packets have more chance of their
        own than trips; that much less is left to the gamma.
        """
        of_packets = (self.packet - 1) / mean if self.packet > 1 else np.zeros(1)
        kappa = 1 / np.maximum(1 / shape - of_packets, 1e-6)[:, None]
        m, share = np.arange(self.nodes), mean[:, None] / (mean[:, None] + kappa * self.packet)
        of_count = special.gammaln(m + kappa) - special.gammaln(kappa) - special.gammaln(m + 1)
        return np.exp(np.maximum(m * np.log(share) + kappa * np.log1p(-share) + of_count, -700.0))

    def likelihood(self, priors: Floats) -> Floats:
        """Return N(y) = Σ_m p(m) q^|y − m| at every node, up to the noise's constant."""
        below, above = self._pieces(priors)
        return below + above

    def posterior(
        self, priors: Floats, none: Floats, row: Integers, node: Integers, confidence: float
    ) -> Floats:
        """Return what noisy counts say under priors, shape (5, pairs of both).

        The five are the mean, the median and both ends of the middle `confidence` in trips, and
        P(M = 0). `priors` has shape (priors, nodes), `none` is P(M = 0) under each.
        """
        below, above = self._pieces(priors)
        evidence = (below + above)[row, node]
        mean = self.likelihood(priors * np.arange(self.nodes))[row, node] / evidence
        empty = np.minimum(none[row] * np.exp(-self.rate * node) / evidence, 1.0)
        side = (1 - confidence) / 2
        wanted = np.array([[0.5], [side], [1 - side]]) * evidence * (1 - 1e-9)
        low = np.full(wanted.shape, -1, dtype=np.int64)
        high = np.full(wanted.shape, self.nodes - 1, dtype=np.int64)
        while (high - low > 1).any():
            m = (low + high) // 2
            away = np.exp(-self.rate * np.abs(node - m))
            chance = np.where(m <= node, away * below[row, m], evidence - away * above[row, m])
            low, high = np.where(chance < wanted, m, low), np.where(chance < wanted, high, m)
        return np.stack([*(self.packet * trips for trips in (mean, *high)), empty])

    def _pieces(self, priors: Floats) -> tuple[Floats, Floats]:
        from scipy import signal  # half a second to load: only whoever estimates waits for it

        recursion = [1.0, -np.exp(-self.rate)]
        below: Floats = np.asarray(signal.lfilter([1.0], recursion, priors, axis=-1))
        backwards: Floats = np.asarray(signal.lfilter([1.0], recursion, priors[:, ::-1], axis=-1))
        return below, backwards[:, ::-1] - priors
