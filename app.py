"""Home: density and origin–destination side by side at one privacy loss."""

import streamlit as st

from pages._ui import cards, frame, home_density, state, verdict

frame.frame(
    frame.PRODUCT,
    "Move a slider and see at once what privacy costs: how far private counts of visits and trips "
    "stray from the truth.",
)
settings = state.sidebar()
frame.banners([settings.density_data, settings.od_data])
verdict_slot = st.empty()
left, right = st.columns(2, gap="large")
with left:
    st.subheader("Density of visits", anchor=False)
    column = home_density.draw(settings, settings.density_data)
verdict_slot.html(cards.verdict_html(*verdict.headline([column.finding]), verdict.LIMITS))
st.table(column.worst)
column.fill()
