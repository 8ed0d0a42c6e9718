from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from firstseen._native import Verdict, Window

_T = TypeVar("_T")

class InFlight(Exception):
    verdict: Verdict
    lease_left_ms: int
    def __init__(self, verdict: Verdict) -> None: ...

async def ready(value: _T) -> _T: ...
def decorator(
    window: Window, key: Callable[..., Any], lease: Any, wait: float
) -> Callable[[Callable[..., Any]], Callable[..., Any | Awaitable[Any]]]: ...
