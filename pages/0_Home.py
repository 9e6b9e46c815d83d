"""Home: the answer on one screen."""

from pages._ui.home import home_page
from pages._ui.shell import layout

PURPOSE = (
    "See what privacy costs before you publish how people move: true beside private, how much "
    "stays right, and what an attacker could learn."
)

layout.show_page(home_page.draw, layout.PRODUCT, PURPOSE)
