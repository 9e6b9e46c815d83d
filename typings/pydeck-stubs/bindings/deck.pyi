# a type checker reads the types of these arguments from their defaults, and finds others
from collections.abc import Sequence

from pydeck.bindings.layer import Layer
from pydeck.bindings.view import View
from pydeck.bindings.view_state import ViewState

class Deck:
    def __init__(
        self,
        layers: Sequence[Layer],
        *,
        initial_view_state: ViewState,
        views: Sequence[View],
        map_provider: str | None,
        tooltip: dict[str, str],
    ) -> None: ...
