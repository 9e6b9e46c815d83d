"""A ledger with a budget, and the dataset that it is for."""

import pytest

from engine.release import BudgetLedger


@pytest.fixture
def ledger(tmp_path):
    empty = BudgetLedger(tmp_path / "ledger.sqlite")
    empty.declare("people", datasets=["demo-city"], unit="person", epsilon=100.0, manager="me")
    return empty
