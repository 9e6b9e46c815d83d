"""Attack: how much the strongest attacker can learn about one person."""

from pages._ui.attack import answer, question
from pages._ui.attack.wording import LEAD
from pages._ui.shell import frame, setting, sidebar

FLOWS, DENSITY = "On flows", "On density"


def draw() -> None:
    """Draw the page."""
    flows = setting.views("attack_view", (FLOWS, DENSITY)) == FLOWS
    settings = sidebar.draw(density=not flows, trips=flows, noise=False, od_method=flows)
    if flows:
        answer.flows(question.ask_flows(settings))
    elif (asked := question.ask_density(settings)) is not None:
        answer.density(asked)


frame.show(draw, "Attack", LEAD)
