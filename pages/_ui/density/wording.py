"""Sentences of the Density page: what to look for, the errata of P1, what the switches do."""

from engine.density import NOISE_EXCEEDS_DATA, ONE_CLUSTER
from engine.density.needs import Needs
from engine.ledger import Ledger, is_above
from engine.parameters import DensityParameters
from pages._ui.cache.draws import REPEATS
from pages._ui.drawing.cards import Card
from pages._ui.wording.measures import density_needs
from pages._ui.wording.numbers import number, scientific

LEAD = (
    "Visits by zone and hour of the week, released with noise: see where and when the private "
    "counts hold, what the privacy costs, and why."
)
PAPER = "P1 is Acs & Castelluccia, KDD 2014; figures are numbered as there."

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


def flag(name: str, parameters: DensityParameters, needs: Needs, minimum: float | None) -> str:
    """Explain a release's flag, with what would be needed."""
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
        f"zero everywhere. {density_needs(parameters, needs)}"
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


ERRATA: tuple[tuple[str, str, str, str], ...] = (
    (
        "D1",
        "Choosing k once per cluster",
        "P1 chooses the number of coefficients in every cluster and charges it once, although one "
        "person can change up to ℓ clusters; the ledger therefore shows three totals, and the "
        "recommended method makes one joint choice, for which the published total is right.",
        "P1 §5.3, Algorithm 4; proof in docs/density.md",
    ),
    (
        "D2",
        "Cover cells that overlap",
        "P1's correction for overlapping cells lets one visit change the counts by up to 1.25, so "
        "each visit is split exactly instead and changes them by 1.",
        "P1 §5.2, minimum cover",
    ),
    (
        "D3",
        "Two printed noise scales",
        "P1 prints the Gaussian noise and the weight of the choice in two ways each; the ones that "
        "charge half the Fourier budget to each stage are used.",
        "P1 §5.3, text and Algorithm 4, lines 3 and 4",
    ),
    (
        "D4",
        "Beyond a total ε of 4",
        "The theorem behind the classical Gaussian covers a total ε of at most 4; beyond it the "
        "analytic Gaussian is used, which holds for every ε but states (ε, δ)-DP.",
        "P1 Theorem 3; Balle & Wang 2018, Theorem 8",
    ),
    (
        "D5",
        "The cap on a person's visits",
        "P1 bounds a person's visits by 732, the maximum in its own data, which gives that person "
        "away; here the cap is a public setting, enforced when the data is built.",
        "P1 footnote 6",
    ),
    (
        "D6",
        "The number of people is confidential",
        "P1 divides the noisy histogram by the true number of people; here it is divided by its "
        "own noisy sum, which reads nothing more.",
        "P1 §5.4.1",
    ),
    (
        "D7",
        "Constants that contradict each other",
        "P1 states 137 million visits where its means give 27 million, and calls δ = 2e-6 at most "
        "one over its number of people although it is four times that; the page warns whenever δ "
        "is too large.",
        "P1 §4 and footnote 6",
    ),
)
"""Erratum, what it is about, one sentence, source."""


def marked(total: float, epsilon: float) -> str:
    """Write a proved total, with ▲ where it exceeds the ε that is charged."""
    return f"{total:.3g} ▲" if is_above(total, epsilon) else f"{total:.3g}"


LOOK = {
    "week": "Pre-sampling lowers the curve, noise makes it rough; scaling lifts the private line "
    "back to the truth (P1, figures 3–5).",
    "week_zoom": "What noise can explain is evened out: small bumps of one place go first, the "
    "rhythm that it shares with its surroundings stays.",
    "hours": "Errors are largest in the quiet hours of the night, where a few visits are a large "
    "share; scaling mainly repairs the day (P1, figure 9a).",
    "distance": "How far visits would have to move to turn the private map into the true one. "
    "Lower is better; below the size of a zone the map is right (P1, figure 9b).",
    "boxes": "Check whether the middle line barely moves while the boxes widen to the left: then "
    "less ε costs the unlucky zones, not the typical one (P1, figure 10).",
    "quality": "Bright error or dark correlation marks zones whose private week should not be "
    "used; quiet zones on the edge go first (P1, figure 11).",
    "kept": "The Fourier curves should lie within a few points of each other, however many visits "
    "are kept; those of plain Laplace noise fan out (P1, figure 7).",
    "methods": "Lower error and higher correlation are better; the distance between the curves is "
    "what a method gains at the same ε (P1, figure 8).",
    "ours": "Lower error and higher correlation are better. Both curves spend the same proved ε at "
    "the same δ.",
    "totals": "Sampling one visit a person needs far less noise than perturbing all visits, so its "
    "curve lies well below at small ε; at large ε it flattens at the error of sampling itself, and "
    "the two may cross (P1, figure 6).",
    "detail": "of the zones with visits are usable in the draw on the page. Red frame: the nearest "
    "to where you are. Click a cell to set zones and ε; the time is set in the sidebar.",
    "cover": "The minimum cover takes fewer or larger cells than towers or zones where these cut "
    "each other, so that each count "
    "stands better against the same noise (P1, figure 2).",
    "clusters": "Neighbours are joined until each group has enough visits; all cells of one group "
    "share one weekly rhythm (P1, Algorithm 3). Above 24 groups colours repeat: the tooltip has "
    "the group's number.",
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
