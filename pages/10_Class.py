"""Class: many people vote on a setting from their phones, and see what their choice would mean."""

from pages._ui.classroom import page as class_page, wording as class_wording
from pages._ui.shell import frame

frame.show(class_page.draw, class_wording.TITLE, class_wording.LEAD, alone=class_page.taking_part)
