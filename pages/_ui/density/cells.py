"""Cells on the map: clusters (P1, Algorithm 3) and the three ways to cut the region (figure 2)."""

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.arrays import Floats, Integers
from pages._ui.cache import density as cached_density, verbs
from pages._ui.density import wording as density_wording
from pages._ui.density.map import MAP_WIDTH
from pages._ui.drawing import maps
from pages._ui.shell.session import map_size
from pages._ui.views.context import Density
from pages._ui.wording.numbers import number

_VIEWS = {
    "clusters": "Clusters",
    "zones": "Zones",
    "towers": "Tower cells",
    "cover": "Minimum cover",
}
_HUES = (
    (42, 143, 189), (201, 120, 47), (42, 157, 111), (142, 107, 189), (209, 73, 91),
    (227, 196, 76), (120, 144, 156), (121, 85, 72),
)  # fmt: skip


class _Categories:
    """Colours for numbers that only name a group; neighbouring numbers differ."""

    kind = "categories"

    def colours(self, values: Floats) -> Integers:
        """Return red, green, blue and opacity of each group, shape (n, 4)."""
        groups = values.astype(np.int64)
        colours = np.array([(*hue, 225) for hue in _HUES], dtype=np.int64)[groups % len(_HUES)]
        # beyond eight groups the same hues come again, lighter
        fade = (groups // len(_HUES)) % 3
        colours[:, 3] = 225 - 60 * fade
        return colours


def draw(context: Density) -> None:
    """Draw one map of cells, switched between clusters, zones, tower cells and the cover."""
    st.markdown("**Into which cells is the region cut?**")
    view = st.segmented_control(
        "Cells", list(_VIEWS), format_func=_VIEWS.__getitem__, default="cover", required=True,
        key="density_cells_view", label_visibility="collapsed",
    )  # fmt: skip
    places = st.grid(2, min_column_width=MAP_WIDTH - 30, gap="medium")
    left, right = places.cell(), places.cell()
    if view == "clusters":
        _clusters(context, left, right)
    else:
        _means(context, view, left, right)


def _means(
    context: Density, view: cached_density.Cells, left: DeltaGenerator, right: DeltaGenerator
) -> None:
    kept = context.parameters.max_visits_per_user
    means = {
        cells: cached_density.cell_means(context.key, cells, kept)
        for cells in ("zones", "towers", "cover")
    }
    top = max(float(np.quantile(part.values, 0.98)) for part in means.values())
    scale = maps.Scale(0.0, max(top, 1.0))
    values = means[view].values
    with left:
        _map(context, view, values, scale, {"visits an hour": [number(v) for v in values]})
        scale.legend("mean pre-sampled visits an hour", "0", f"{number(scale.high)} or more")
    with right:
        st.markdown(
            "\n".join(
                f"- **{_VIEWS[cells]}**: {len(part.values):,} cells, "
                f"{number(part.mean)} visits an hour on average"
                for cells, part in means.items()
            )
        )
        st.caption(
            f"At ℓ = {kept}, before any noise, on one scale. {density_wording.LOOK['cover']}"
        )


def _clusters(context: Density, left: DeltaGenerator, right: DeltaGenerator) -> None:
    release = verbs.release(*context.asked)
    if release.clusters is None or release.coefficients_kept is None or release.cell_totals is None:
        with left:
            st.info("This release has no clusters: Laplace methods do not cluster, and neither "
                    "does a release whose noise exceeds the data.")  # fmt: skip
        return
    clusters, kept = release.clusters, release.coefficients_kept
    least, most = int(kept.min()), int(kept.max())
    ends = f"{least}" if least == most else f"{least} to {most}"
    totals = np.bincount(clusters, weights=np.maximum(release.cell_totals, 0.0))
    with left:
        _map(
            context,
            "cover",
            clusters.astype(float),
            _Categories(),
            {
                "cluster": [f"{group + 1} of {len(kept)}" for group in clusters],
                "visits of the cluster (noisy)": [number(totals[c]) for c in clusters],
                "coefficients kept": [f"{kept[c]} of 168" for c in clusters],
            },
        )
    with right:
        sizes = np.bincount(clusters)
        st.markdown(
            f"- **{len(kept)}** clusters of {len(clusters):,} cells, {sizes.min()} to "
            f"{sizes.max()} cells each\n"
            f"- smallest allowed (τ): **{number(release.cluster_minimum or 0.0)}** visits, "
            f"{_source(context)}\n"
            f"- Fourier coefficients kept: {ends} of 168"
        )
        st.caption(f"All of this is part of the private output. {density_wording.LOOK['clusters']}")


def _source(context: Density) -> str:
    by_hand = context.parameters.cluster_minimum is not None
    return "set by hand" if by_hand else "by the paper's formula (set it under *Advanced*)"


def _map(
    context: Density,
    cells: cached_density.Cells,
    values: Floats,
    scale: maps.Colouring,
    tooltip: dict[str, list[str]],
) -> None:
    maps.zone_map(
        cached_density.outlines(context.key, cells),
        values,
        scale,
        key=f"density_cells_{context.key.name}",
        alt=f"Map of the region cut into {_VIEWS.get(cells, cells).lower()}",
        tooltip=tooltip,
        **map_size(MAP_WIDTH, 430),
    )
