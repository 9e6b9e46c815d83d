"""What ε means: published releases of others, each with its unit of privacy first."""

import streamlit as st

from pages._ui.components import tables

HEADS = "Unit of privacy", "Release", "ε", "δ", "Source"
_HANDBOOK = "Census Bureau 2021, 2020 Census disclosure avoidance handbook"
RELEASES = (
    ("A user's day", "Google Community Mobility Reports", "2.64", "0", "arXiv:2004.04145"),
    ("A user's day", "Meta Movement Range Maps", "2.0", "0", "Meta Research, 2 June 2020"),
    ("A user's trip", "Google, weekly flows", "0.66", "2.1e-29", "doi:10.1038/s41467-019-12809-y"),
    ("A user", "Spectus, evacuation from a hurricane", "10", "0", "Spectus white paper, 2022"),
    ("Not stated", "Savi et al., a study", "0.05", "–", "doi:10.1371/journal.pdig.0000233"),
    ("A person's record", "US census 2020, redistricting", "17.14", "1e-10", _HANDBOOK),
    ("A housing unit's record", "US census 2020, redistricting", "2.47", "1e-10", _HANDBOOK),
)
RANKING_NOTE = (
    "They cannot be ranked by ε alone, because ε limits what is learnt about one unit. ε = 2.64 "
    "for a day can add up to 79 over 30 days. ε = 10 for a user covers all days of that release. "
    "Neighbouring data differ too: the census changes a record, Google's mobility reports add or "
    "remove a user's day. Figures are from OpenDP's deployments registry. Those of the study are "
    "from its abstract, for each release."
)


def draw() -> None:
    """Draw the table, and why its rows have no order."""
    st.subheader("ε in published releases", anchor=False)
    tables.draw_rows(HEADS, RELEASES)
    st.caption(RANKING_NOTE)
