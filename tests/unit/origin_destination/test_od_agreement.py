import numpy as np
import pytest

from engine import origin_destination as od
from engine.errors import ParameterError


def test_agreement_by_hand():
    true = np.array([[5, 30, 0], [10, 0, 0], [0, 20, 9]])
    released = np.array([[7.0, 24.0, 6.0], [10.0, 1.0, 0.0], [4.0, 0.0, 0.0]])
    agreement = od.agreement(true, released)
    assert agreement.mean_error == pytest.approx((6 + 6 + 0 + 0 + 4 + 20) / 6)
    assert agreement.outgoing_error == pytest.approx((0 + 0 + 16) / 60)
    assert agreement.incoming_error == pytest.approx((4 + 26 + 6) / 60)
    assert agreement.common_part == pytest.approx(2 * (24 + 10) / (60 + 44))
    assert (agreement.shown, agreement.false_share) == (4, 0.5)
    assert np.isnan(agreement.leading_destinations)
    shown = np.zeros((3, 3), dtype=bool)
    shown[0, :2] = True  # the diagonal is no flow
    assert od.agreement(true, released, shown).shown == 1


def test_leading_destinations():
    true = np.zeros((1, 14, 14))
    true[0, 2, 3:] = np.arange(11, 0, -1)  # eleven destinations, leading ten are 3 … 12
    released = true.copy()
    released[0, 2, 3:5] = 0
    released[0, 2, 0] = 50
    # 0, 5 … 13 lead the release: eight of the ten
    assert od.agreement(true, released).leading_destinations == pytest.approx(0.8)


def test_nothing_to_agree_with():
    agreement = od.agreement(np.zeros((1, 1)), np.zeros((1, 1)))
    assert np.isnan(agreement.mean_error)
    assert np.isnan(agreement.common_part)
    assert agreement.shown == 0
    with pytest.raises(ParameterError, match="square matrices of the same shape"):
        od.agreement(np.zeros((2, 2)), np.zeros((3, 3)))
