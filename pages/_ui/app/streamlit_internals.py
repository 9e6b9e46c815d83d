"""What the pages use of Streamlit beside its public calls; any version may change it."""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import uvicorn.config
from streamlit import error_util, runtime
from streamlit.delta_generator import DeltaGenerator as DeltaGenerator
from streamlit.file_util import get_static_dir as get_static_dir
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state.query_params import QueryParams
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.uploaded_file_manager import UploadedFile as UploadedFile
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

ERROR_LOGGER = error_util.__name__
"""Name of the logger that writes uncaught errors."""

PEER = "peer"
"""Of a request: address and port that are connected, whatever its headers say."""


def note_peers() -> None:
    """Keep the address that is connected: Streamlit's server takes one out of a header."""

    class NotePeer(ProxyHeadersMiddleware):
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            noted: Any = {**scope, PEER: scope.get("client")}
            await super().__call__(noted, receive, send)

    setattr(uvicorn.config, ProxyHeadersMiddleware.__name__, NotePeer)


def ignore_pages_folder() -> None:
    """Keep Streamlit from running the file of a page by its address, without the entry file."""
    PagesManager.uses_pages_directory = False


def run_state() -> SafeSessionState | None:
    """Return the state of the session that this thread runs for."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else context.session_state


def session_id() -> str | None:
    """Return the id of the session that this thread runs for."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else context.session_id


def page_id() -> str:
    """Return an id of the page that is running."""
    context = get_script_run_ctx(suppress_warning=True)
    return "" if context is None else context.page_script_hash


def is_history_run() -> bool:
    """Whether the browser's Back or Forward asked for this run."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and context.is_history_navigation


def app_wide_context() -> AbstractContextManager[None]:
    """Return what makes a widget the same one on every page, whichever draws it."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return nullcontext()
    return context.run_with_active_hash(context.pages_manager.main_script_hash)


def is_active(session: str) -> bool:
    """Whether a browser is connected to a session; on the server's loop."""
    return runtime.get_instance().is_active_session(session)


def end_session(session: str) -> None:
    """End a session with its uploads; on the server's loop."""
    server = runtime.get_instance()
    server.close_session(session)
    # where Streamlit has forgotten the session itself, its uploads are there still
    server.uploaded_file_mgr.remove_session_files(session)


def _open_link() -> AbstractContextManager[QueryParams]:
    state = run_state()
    return nullcontext(QueryParams()) if state is None else state.query_params()


def is_bound(key: str) -> bool:
    """Whether a widget writes this key of the link."""
    with _open_link() as link:
        return link.is_bound(key)


def write_query(
    texts: Mapping[str, str | tuple[str, ...]], *, stale: Iterable[str], anew: bool
) -> None:
    """Take stale keys out of the link and add what it lacks, in one step of Back.

    Widgets that are drawn afterwards begin with the link as written if it is set anew.
    """
    with _open_link() as link:
        for key in stale:
            link.discard_param_no_forward_msg(key)
        missing = {key: text for key, text in texts.items() if not link.has_param(key)}
        for key, text in missing.items():
            link.set_with_no_forward_msg(key, text if isinstance(text, str) else list(text))
        if anew:
            link.set_initial_query_params_from_current()
        if missing or stale:
            link.update({})


def unbind(keys: Iterable[str]) -> None:
    """Let go of keys of the link: what no page draws would be taken out."""
    with _open_link() as link:
        for key in keys:
            if binding := link.get_binding_for_param(key):
                link.unbind_widget(binding.widget_id)
