"""Sentences of the Density page: what to look for, the errata of P1, what the switches do."""

from engine.density import NOISE_EXCEEDS_DATA, ONE_CLUSTER
from engine.ledger import Ledger, is_above
from engine.parameters import DensityParameters
from pages._ui.cache.draws import REPEATS
from pages._ui.drawing.cards import Card
from pages._ui.wording.numbers import number, scientific

LEAD = (
    "Visits by zone and hour of the week, released with noise: see where and when the private "
    "counts hold, what the privacy costs, and why."
)
HELP = {
    "scaling": "Totals come from one visit of each person, scaled to all visits (P1 §5.4.1). "
    "Without it the series stay at the size of the sample.",
    "smoothing": "Quiet hours from 0 to 6 are replaced by fitted exponentials (P1 §5.4.2); this "
    "reads nothing and costs nothing.",
    "gaussian": "The least Gaussian noise that is (ε, δ)-DP, for every ε (Balle & Wang 2018). Off: "
    "the classical noise of P1's Theorem 3, up to a total ε of 4.",
    "equal": "Run every method at the ε whose best proved total equals the slider's, so that "
    "methods are compared at the same protection instead of the same label.",
}
ANALYTIC_CHOSEN = (
    "The analytic Gaussian is used: less noise than the classical one, stated as (ε, δ)-DP "
    "instead of P1's probabilistic DP."
)
ANALYTIC_FOR_EQUAL = (
    "At equal proved ε this method would need the classical Gaussian beyond a total ε of 4, where "
    "its theorem ends; the analytic one is used."
)
NO_STAGES = (
    "This method adds Laplace noise to every count and has no further stages; scaling and "
    "smoothing do not apply."
)
ZOOM = (
    "Our method counts once at five zoom levels, from single masts to the whole city, with one "
    "Gaussian noise, and believes only what stands clear of it: noise can explain small "
    "differences between neighbouring places; those are evened out, the others are kept. Nobody is "
    "sampled, and published and proved ε are the same."
)
PROVED = "Best proved total"
MARK = (
    "Marked ▲ where the best proved total is above the ε that is charged: the label then promises "
    "more protection than is proved."
)
EQUALISE = 'The switch "Compare at equal proved ε" gives every method the same.'
ABOVE_FOUR = (
    "Above ε = 4 Gaussian methods take the analytic Gaussian, which explains any kink there."
)


def equal_proved(target: float, epsilon: float) -> str:
    """Say how ε was rescaled so that the best proved total is the slider's."""
    return (
        f"Compared at equal proved ε: the method runs with ε = {epsilon:.3g}, so that its best "
        f"proved total is {target:g}."
    )


def exceeds(ledger: Ledger, epsilon: float) -> str | None:
    """Say that a method proves less than the slider promises, or nothing where it does not."""
    if not ledger.exceeds(epsilon):
        return None
    return (
        f"**The best proved total is ε = {ledger.proved_epsilon:.3g}, above the {epsilon:g} on the "
        "slider.** The slider's ε promises more protection than is proved; switch on *Compare at "
        "equal proved ε* for a fair comparison."
    )


def flag(name: str, parameters: DensityParameters, minimum: float | None) -> str:
    """Explain a release's flag."""
    if name == ONE_CLUSTER:
        return (
            f"**All cells form one cluster**: together they are below the cluster minimum of "
            f"{number(minimum or 0)} visits, so every zone gets the same weekly rhythm. More "
            "people, a larger ε or a smaller minimum (under *Advanced*) would tell them apart."
        )
    if name != NOISE_EXCEEDS_DATA:
        return name
    if not parameters.scaling:
        return (
            "**The noise exceeds the data**: no noisy total is above zero, so the release is zero "
            "everywhere. A larger ε or more people are needed."
        )
    return (
        "**The noise exceeds the data**: the noisy totals are not above zero, so the release is "
        "zero everywhere. A larger ε or more people are needed."
    )


def proved(ledger: Ledger, epsilon: float) -> Card:
    """Return the card of the best proved total, with the other two in its line."""
    failing = f" at δ = {scientific(ledger.delta)}" if ledger.delta else ""
    return Card(
        "Proved privacy loss (ε)",
        f"{ledger.proved_epsilon:.3g}",
        f"above the slider's {epsilon:g}" if ledger.exceeds(epsilon) else f"slider {epsilon:g}",
        f"For one person's whole week; published {ledger.published_epsilon:.3g}, by simple "
        f"composition {ledger.pure_epsilon:.3g}{failing}.",
    )


def marked(total: float, epsilon: float) -> str:
    """Write a proved total, with ▲ where it exceeds the ε that is charged."""
    return f"{total:.3g} ▲" if is_above(total, epsilon) else f"{total:.3g}"


LOOK = {
    "week": "Pre-sampling lowers the curve, noise makes it rough; scaling lifts the private line "
    "back to the truth (P1, figures 3–5).",
    "week_zoom": "What noise can explain is evened out: small bumps of one place go first, the "
    "rhythm that it shares with its surroundings stays.",
    "boxes": "Check whether the middle line barely moves while the boxes widen to the left: then "
    "less ε costs the unlucky zones, not the typical one (P1, figure 10).",
    "quality": "Bright error or dark correlation marks zones whose private week should not be "
    "used; quiet zones on the edge go first (P1, figure 11).",
    "kept": "The Fourier curves should lie within a few points of each other, however many visits "
    "are kept; those of plain Laplace noise fan out (P1, figure 7).",
    "methods": "Lower error and higher correlation are better; the distance between the curves is "
    "what a method gains at the same ε (P1, figure 8).",
}


def repeats(done: int, running: bool) -> str:
    """Say over how many repeats a curve is, and that it is not complete while more are drawn.

    Examples
    --------
    >>> repeats(1, True), repeats(20, False), repeats(1, False)
    ('1 of 20 repeats so far', '20 repeats', '1 repeat')
    """
    if running:
        return f"{done} of {REPEATS} repeats so far"
    return f"{done} repeat{'' if done == 1 else 's'}"
