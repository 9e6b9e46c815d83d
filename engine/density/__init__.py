"""Private spatio-temporal density: visits by zone and hour of one week, with noise.

*Towers* are the places of visits, each with its Voronoi cell; *zones* are the areas of the results.
A *visit* is a distinct (person, tower, hour of the week). One person with the whole week is
protected. A *release* here is a draw with continuous noise, for exploration; `engine.release` draws
what is published. *P1* is Acs & Castelluccia, "A case study: privacy preserving release of
spatio-temporal density in Paris" (KDD 2014). *Errata* D1 to D7 in ``docs/density.md`` say where
this package differs from P1, and why. A hat marks a noisy value. Symbols:

- N: people. X: visits by tower and hour, without a person's visits beyond the public K_max
  (``max_visits_cap``). K: the sum of X. H̃ (a tilde marks sampled counts): visits by tower, one at
  random of each person (``single_visit_by_tower``).
- ℓ (``max_visits_per_user``): for all methods but `multiscale`, *pre-sampling* leaves one visit of
  a person in an hour and at most ℓ in all, at random.
- F: share of each tower's Voronoi cell in each zone (``tessellation.overlap``).
- ℂ, the *cover*: a minimum vertex cover of the graph of overlapping towers and zones. Those in it
  are its *cells*. A tower's visits are split by area: the part in zones of ℂ counts there, the rest
  with the tower; one outside ℂ has no rest. S: the cells' totals. An *entry* is tower × hour.
- *Series*: 168 counts by hour, from Monday 00:00 local time. *Profile*: a series of sum 1.
- LPA: P1's Laplace noise on the counts of cells. EFPA, EFPAG: P1's enhanced Fourier perturbation
  algorithm with Laplace or Gaussian noise. The latter two merge cells into *clusters* with a total
  of at least τ (``cluster_minimum``), and keep the first k Fourier coefficients of a cluster's
  series; in `efpag_joint` k is the same for all clusters.
- Δ₂: L₂ sensitivity. ρ: zero-concentrated privacy loss (zCDP, Bun & Steinke 2016).
- μ: loss in Gaussian differential privacy (μ-GDP, Dong, Roth & Su 2022): noise σ = Δ₂/μ.
- *Clip* c: in `multiscale`, the bound on the L₂ norm of a person's contribution to a table, as one
  vector. A longer one is scaled down. The city's table is prepared for several clips; the noisy
  visit total K̂ selects one. *Share* s: part of μ² that a person with K_max visits spends on K̂.
"""

from ..parameters import DensityParameters
from .accounting import is_delta_large, match_proved_epsilon, match_release_noise, proved_epsilon
from .aggregates import cover_series, presampled_counts, truth
from .mechanism import NO_POSITIVE_TOTAL, ONE_CLUSTER, DensityRelease
from .methods import METHODS, DensityScores, compute_cost, draw_noise, release, scores

__all__ = [
    "METHODS",
    "NO_POSITIVE_TOTAL",
    "ONE_CLUSTER",
    "DensityParameters",
    "DensityRelease",
    "DensityScores",
    "compute_cost",
    "cover_series",
    "draw_noise",
    "is_delta_large",
    "match_proved_epsilon",
    "match_release_noise",
    "presampled_counts",
    "proved_epsilon",
    "release",
    "scores",
    "truth",
]
