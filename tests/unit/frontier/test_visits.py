"""Settings of a density: judged by draws, at the risk that their ledger proves."""

import pytest

from engine import density, frontier, privacy
from engine.contract import Seen
from engine.frontier import Need
from engine.frontier.judge import DENSITY_EPSILONS, VISITS
from engine.resolution import look_at
from engine.use import DENSITY_LIMITS, use


@pytest.fixture(scope="module")
def judged(tiny_city):
    return frontier.frontier(tiny_city, Need(seen=Seen(dataset=tiny_city.id), read="density"))


def test_each_setting_has_its_own_use_and_the_risk_of_its_ledger(tiny_city, judged):
    settings = sum(map(len, VISITS.values())) * len(DENSITY_EPSILONS)
    assert len(judged.candidates) == settings
    for one in judged.judged[::7]:
        parameters = one.setting.parameters
        view = look_at(tiny_city, one.setting.zones)
        ledger = density.plan(view, parameters)
        assert one.risk == privacy.risk_of_ledger(ledger, parameters.epsilon).best_guess
        assert one.use.limits == DENSITY_LIMITS
        assert one.use == use(one.setting, tiny_city)
