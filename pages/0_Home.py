"""Home: the answer on one screen."""

from pages._ui.frame import layout
from pages._ui.home import home_page

layout.show_page(home_page.draw, layout.PRODUCT)
