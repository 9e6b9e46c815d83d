"""Home: the answer on one screen."""

from pages._ui.home import page as home_page
from pages._ui.shell import frame

PURPOSE = (
    "See what privacy costs before you publish how people move: true beside private, how much "
    "stays right, and what an attacker could learn."
)

frame.show(home_page.draw, frame.PRODUCT, PURPOSE)
