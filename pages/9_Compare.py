"""Compare: two to four settings side by side, on one scale."""

from pages._ui.compare import page as compare_page, wording as compare_wording
from pages._ui.shell import frame

frame.show(compare_page.draw, "Compare", compare_wording.LEAD)
