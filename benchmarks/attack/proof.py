"""Why no placement of a target's visits betrays more than the one that is computed."""

from collections.abc import Iterator


def lines() -> Iterator[str]:
    """Yield the section of the report."""
    yield "### Why this is an upper bound"
    yield ""
    yield (
        "**Claim.** Let a target have v visits that pre-sampling keeps, and w in all, anywhere. No "
        "attack on the release is above the ROC computed here; for `efpa` and `efpag`, provided "
        "his visits lie in one cluster."
    )
    yield ""
    yield (
        "*Order.* Write δ(ε) for the largest P(S) − e^ε·Q(S) over sets of results S, with the "
        "target (P) and without (Q), for every real ε. One pair of laws *dominates* another if its "
        "δ is at least as large everywhere; its ROC is then nowhere lower. If each stage's pair, "
        "given what earlier stages released, is dominated by a fixed pair, their composition is "
        "dominated by the product of the fixed pairs (Zhu, Dong & Wang, AISTATS 2022), also "
        "where stages choose by earlier results, as the clusters and k do here. Which visits are "
        "kept, and which one counts towards the shares of the towers, is drawn; δ is jointly "
        "convex, so a mixture is dominated by whatever dominates every part of it. Remains one "
        "pair for each stage."
    )
    yield ""
    yield (
        "*Laplace noise: one coordinate is the worst.* Let the target shift counts by amounts "
        "whose sizes, over the scale of the noise, add up to θ. **Lemma.** This is dominated by a "
        "shift of θ in one count. It suffices to split θ = a + b; more parts follow one by one. A "
        "shift of a has the loss L = log p/q. Under √(pq) it has mass e^(−a/2)/2 at each of ±a "
        "and density e^(−a/2)/4 between, so its characteristic function is "
        "e^(−a/2)·(cos at + sin(at)/(2t)). For the product of a and b less that of a + b the sine "
        "and cosine rules leave e^(−θ/2)·sin(at)·sin(bt)·(1 + 1/(4t²)). With u_a = ½ on [−a, a], "
        "whose transform is sin(at)/t, that is the transform of −e^(−θ/2)·(∂² − ¼)(u_a ∗ u_b). "
        "And δ(ε) = ∫ φ d√(pq) with φ(l) = 2·e^(ε/2)·sinh((l − ε)/2) for l > ε and 0 below, for "
        "which (∂² − ¼)φ is e^(ε/2) times a unit mass at ε. Hence"
    )
    yield ""
    yield "δ of a and b together = δ of a + b − e^((ε − a − b)/2)·(u_a ∗ u_b)(ε),"
    yield ""
    yield (
        "and the last term is never negative. ∎ A smaller θ is dominated by a larger one, since "
        "1 − e^((ε − θ)/2) grows with θ."
    )
    yield ""
    yield (
        "- *Counts* (`lpa`, `zones_laplace`, `towers_laplace`): pre-sampling keeps one visit an "
        "hour. A visit may be split over the cells of its hour, with shares that add up to 1: by "
        "the lemma it betrays at most as much as in one cell. v hours: v draws with θ = 1/b."
    )
    yield (
        "- *Totals of the cells*: shifts that add up to v; by the lemma at most all in one cell. "
        "*Number of visits*: one number, shifted by w. *Shares of the towers*: one count, by 1."
    )
    yield (
        "- *Gaussian coefficients*: between equal normal laws only the distance counts, "
        "‖Δ‖₂/σ. Every hour holds shares that add up to at most 1, so ‖Δ‖₂² ≤ v; an orthonormal "
        "transform keeps it, leaving coefficients out lowers it. All clusters are one such law."
    )
    yield (
        "- *Choice of k*: log-probabilities move within a range η = κ·c·‖Δ‖₂ ≤ κ·c·√v "
        "([density.md](density.md), κ = √2), jointly for all clusters in `efpag_joint`; δ of the "
        "worst law of that range is (e^(η/2) − e^(ε/2))²/(e^η − 1) (Dong, Durfee & Rogers 2020)."
    )
    yield (
        "- *Laplace coefficients of one cluster* (`efpa`): k of them move by at most √k·√v "
        "together, with a scale of √k times that of k = 1; the lemma does the rest."
    )
    yield (
        "- `zoom`: Gaussian tables, each with the largest ‖Δ‖₂ that its clip and v visits allow."
    )
    yield ""
    yield (
        "Where every cluster chooses for itself, visits spread over c clusters move c choices by "
        "√(v/c) each. Their losses add up to √(c·v), not √v: with little noise that betrays more "
        "than one cluster (a test holds an example), so for `efpa` and `efpag` the figures are no "
        "bound on such a target. The guarantee is."
    )
    yield ""
