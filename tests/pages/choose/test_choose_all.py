"""All settings on Choose ε: what is clicked and recommended there is what home recommends."""

from tests.support.charts import drawn as drawn

PAGE = "pages/3_Choose.py"


def test_it_marks_what_home_recommends(open_home, settled, drawn):
    app = settled(open_home(frontier="true"))
    at_home = drawn["frontier_chart"]["datasets"]["marks"][1]
    app.switch_page(PAGE).run()
    app.segmented_control(key="choose_view").set_value("All settings").run()
    settled(app)
    now, best = drawn["frontier_chart"]["datasets"]["marks"]
    assert (best["risk"], best["use"]) == (at_home["risk"], at_home["use"])
    assert now["risk"] != best["risk"]
    settled(app.switch_page("pages/0_Home.py").run())
    take_it = next(one for one in app.button if one.label == "Use it")
    settled(take_it.click().run())
    (both,) = drawn["frontier_chart"]["datasets"]["marks"]
    assert both["words"] == "recommended, you are here"
    assert both["setting"] == best["setting"]


def test_real_people_stand_under_their_banner_there(open_home, settled):
    app = open_home()
    app.selectbox(key="od_data").set_value("town").run()
    app.switch_page(PAGE).run()
    assert not any("confidential" in one.value for one in app.warning), "nothing is read yet"
    app.segmented_control(key="choose_view").set_value("All settings").run()
    settled(app)
    assert any("confidential" in one.value for one in app.warning)
    assert not app.get("download_button")
