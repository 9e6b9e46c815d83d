"""Home: the answer on one screen."""

from pages._ui.home import page as home_page
from pages._ui.shell import frame

frame.show(home_page.draw, frame.PRODUCT)
