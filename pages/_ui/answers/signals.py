"""The public number of trips: stated on Release, or a fact of a twin; never from the data."""

import streamlit as st

from engine.contract import Setting
from engine.readability import describe_weak_signal
from engine.synthetic.twin_inputs import count_trips
from pages._ui.answers import cached
from pages._ui.app.session import session


def warn_of_weak_signal(setting: Setting) -> None:
    """Warn of too few stated trips for single flows; where none are stated nothing is said."""
    dataset = cached.full_dataset(setting)
    facts, days = dataset.metadata.scenario.get("twin"), len(dataset.metadata.days)
    daily = session().trips_per_day.get(setting.dataset_id)
    if daily is None and facts:
        daily = count_trips(facts) / days
    trips = daily and daily * len(setting.time.day_positions(days))
    zones = len(cached.dataset(setting.selection).zones)
    if warning := describe_weak_signal(setting, dataset, zones, trips):
        st.warning(setting.say_counts(warning), icon=":material/signal_cellular_alt_1_bar:")
