"""What the tests of the Data page share: small tables, and ways to act on the page."""

from streamlit.testing.v1 import AppTest

from pages._ui.data.builds import DataState
from tests.support.ingests import TOWERS
from tests.support.page import held, html_of as html_of, text as text

PAGE = "pages/7_Data.py"
CANARY = "canary-4711"
HEADER = "Usuario_Id,Inicio_del_viaje,Fin_del_viaje,Origen_Id,Destino_Id"
ROWS = [
    f"{person},2015-09-{day:02d} 08:{person:02d}:00,2015-09-{day:02d} 09:10:00,{origin},{end}"
    for day in range(7, 14)
    for person, (origin, end) in enumerate(("AB", "BC", "CD", "DD", "AZ"))
]
TRIPS = "\n".join([HEADER, *ROWS, ROWS[0]]).encode()
PLACES = "\n".join(
    ["id,latitude,longitude,name", *(f"{i},{lat},{lng},<b>{i}</b>" for i, lat, lng in TOWERS)]
).encode()


def uploader(app: AppTest, name: str):
    return next(one for one in app.get("file_uploader") if one.key.startswith(f"data_{name}_"))


def upload(app: AppTest, name: str, file: str, contents: bytes) -> AppTest:
    uploader(app, name).upload(file, contents, "text/csv").run()
    assert not app.exception, app.exception
    return app


def widget(parts, key: str):
    return next(part for part in parts if part.key and part.key.startswith(key))


def upload_all(app: AppTest, table: bytes = TRIPS, places: bytes = PLACES) -> AppTest:
    uploader(app, "table").upload("trips_2015_09.csv", table, "text/csv")
    return upload(app, "locations", "stations.csv", places)


def filled(open_data, table: bytes = TRIPS) -> AppTest:
    return zone(upload_all(open_data(), table), "America/Mexico_City")


def zone(app: AppTest, name: str) -> AppTest:
    return widget(app.selectbox, "data_time_zone").set_value(name).run()


def button(app: AppTest, key: str):
    return widget(app.button, key)


def built(app: AppTest, seconds: float = 30.0) -> AppTest:
    """Press the button and run the page until the build has ended, as a browser would."""
    button(app, "data_start").click().run()
    assert not app.exception, app.exception
    ended(held(app, DataState).build, seconds)
    return app.run()


def ended(work, seconds: float = 30.0) -> None:
    work.wait(seconds)
    assert work.state != "running"
