"""What the pages use of Streamlit beside its public calls is there, and named in one place each."""

import ast
import re
from pathlib import Path

import uvicorn.config
from streamlit import runtime
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
OWNERS = (ScriptRunContext, SafeSessionState, PagesManager, QueryParams, WidgetBinding, Runtime)
"""Classes whose names, with those of the modules, that module uses after a dot."""


def test_streamlit_has_every_private_name_and_one_module_alone_uses_them():
    tree = ast.parse(INTERNALS.read_text(encoding="utf-8"))
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    missing = used - {*dir(runtime), *dir(UploadedFileManager), *dir(uvicorn), *dir(uvicorn.config)}
    missing -= {*dir(uvicorn.config.ProxyHeadersMiddleware)}
    missing -= {name for owner in OWNERS for name in (*dir(owner), *owner.__annotations__)}
    assert not missing
    for path in [ROOT / "app.py", *sources("pages")]:
        inside = {name for name in imported(path) if name.startswith("streamlit.")}
        inside = {name for name in inside if not name.startswith("streamlit.components.")}  # public
        assert not inside or path == INTERNALS, f"{path}: {inside}"


def test_streamlit_has_every_part_that_the_style_names_and_no_other_file_names_one():
    missing = set(re.findall(r'data-testid="(\w+)"', STYLE.read_text(encoding="utf-8")))
    assert missing
    for script in Path(get_static_dir()).rglob("*.js"):
        text = script.read_text(encoding="utf-8")
        missing -= {name for name in missing if any(f"{q}{name}{q}" in text for q in "`\"'")}
    assert not missing
    for path in (*sources("pages"), *(ROOT / "pages").rglob("*.css")):
        names = re.findall(r"data-testid|\.st[A-Z]\w+", path.read_text(encoding="utf-8"))
        assert not names or path == STYLE, f"{path}: {names}"
