"""All settings on Choose: what is recommended there is what home recommends."""

import re

from tests.support.page import bodies

PAGE = "pages/3_Choose.py"


def advice(app):
    """Return what is recommended, in words."""
    return re.findall(r'class="advice .*?</strong>(.*?)</div>', "\n".join(bodies(app)))


def test_what_is_recommended_there_is_what_home_recommends(open_home, settled):
    app = settled(open_home(od_data="demo-city", unit="person", od_time="whole"))
    (at_home,) = advice(app)
    app.switch_page(PAGE).run()
    app.segmented_control(key="choose_view").set_value("All settings").run()
    settled(app)
    assert advice(app) == [at_home]
    settled(app.button(key="way_all_use").click().run())
    assert "as you have it" in "\n".join(bodies(app))


def test_real_people_stand_under_their_banner_there(open_home, settled):
    app = open_home()
    app.selectbox(key="od_data").set_value("town").run()
    app.switch_page(PAGE).run()
    assert not any("confidential" in one.value for one in app.warning), "nothing is read yet"
    app.segmented_control(key="choose_view").set_value("All settings").run()
    settled(app)
    assert any("confidential" in one.value for one in app.warning)
    assert not app.get("download_button")
