"""The benchmark of a year, small: what it makes is opened, counted two ways, and grown by a day."""

from datetime import timedelta

from benchmarks import days
from engine.datasets import daily


def test_a_small_year_is_opened_counted_and_grown(monkeypatch):
    small = {"DAYS": 9, "ZONES": 30, "MANY_ZONES": 40, "CELLS": 6_000}
    small |= {"FULL_DAY": 700, "WIDE_DAY": 900, "NEXT": days.FIRST + timedelta(days=9)}
    for name, value in small.items():
        monkeypatch.setattr(days, name, value)
    monkeypatch.setattr(daily, "MOST_UNTALLIED", daily.MOST_UNTALLIED)
    lines = {line.work: line for line in days.rows()}
    assert len(lines) == 8
    grown = lines["append a day to the year"]
    assert "no file of another day changed" in grown.note
    assert lines["a day between 40 zones as a matrix"].met
