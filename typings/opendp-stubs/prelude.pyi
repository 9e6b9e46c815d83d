# OpenDP collects its names here when it is loaded; to a type checker they are private
from typing import Any

def __getattr__(name: str) -> Any: ...
