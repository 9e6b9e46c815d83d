"""Home: the answer on one screen."""

from pages._ui.frame import layout
from pages._ui.home import home_page

PURPOSE = (
    "See what privacy costs before you publish how people move: true beside private, how much "
    "stays right, and what an attacker could learn."
)

layout.show_page(home_page.draw, layout.PRODUCT, PURPOSE)
