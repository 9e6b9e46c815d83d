"""What the pages use of Streamlit beside its public calls is there, and named in one place each."""

import ast
import re
from pathlib import Path

import pytest
from streamlit import error_util, runtime
from streamlit.file_util import get_static_dir
from streamlit.runtime import Runtime
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import ScriptRunContext
from streamlit.runtime.state.query_params import QueryParams, WidgetBinding
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.uploaded_file_manager import UploadedFileManager

from tests.unit.test_architecture import ROOT, imported, sources

INTERNALS = ROOT / "pages" / "_ui" / "app" / "streamlit_internals.py"
STYLE = ROOT / "pages" / "_ui" / "frame" / "style.css"
OWNERS = {
    "PagesManager": PagesManager,
    "binding": WidgetBinding,
    "context": ScriptRunContext,
    "context.pages_manager": PagesManager,
    "error_util": error_util,
    "link": QueryParams,
    "missing": dict,
    "runtime": runtime,
    "runtime.get_instance()": Runtime,
    "server": Runtime,
    "server.uploaded_file_mgr": UploadedFileManager,
    "state": SafeSessionState,
    "texts": dict,
}
"""By what stands before a dot in that module."""


def test_streamlit_has_every_private_name_and_one_module_alone_uses_them():
    tree = ast.parse(INTERNALS.read_text(encoding="utf-8"))
    uses = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    names = {(ast.unparse(node.value), node.attr) for node in uses}
    assert {owner for owner, _ in names} == OWNERS.keys()
    assert not [
        f"{owner}.{name}"
        for owner, name in names
        if name not in {*dir(OWNERS[owner]), *OWNERS[owner].__dict__.get("__annotations__", ())}
    ]
    for path in [ROOT / "app.py", *sources("pages")]:
        inside = {name for name in imported(path) if name.startswith("streamlit.")}
        assert not inside or path == INTERNALS, f"{path}: {inside}"
