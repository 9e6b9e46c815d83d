# pyarrow makes these functions when it is loaded; a type checker finds none of them
from typing import Any

def __getattr__(name: str) -> Any: ...
