"""Have I seen this id in the last W?

>>> from firstseen import Window
>>> window = Window.exact(60)
>>> window.first_seen("evt_1"), window.first_seen("evt_1")
(True, False)
"""

from firstseen._errors import FirstSeenError, FirstSeenTypeError, FirstSeenValueError
from firstseen._native import (
    ERROR_CODES,
    Claim,
    Plan,
    PlanChoice,
    Sequences,
    SequenceStats,
    SequenceVerdict,
    Stats,
    Verdict,
    Window,
    __version__,
    fingerprint,
    fingerprint_json,
    open_metrics,
    plan,
)
from firstseen._once import InFlight

__all__ = [
    "ERROR_CODES",
    "Claim",
    "FirstSeenError",
    "FirstSeenTypeError",
    "FirstSeenValueError",
    "InFlight",
    "Plan",
    "PlanChoice",
    "SequenceStats",
    "SequenceVerdict",
    "Sequences",
    "Stats",
    "Verdict",
    "Window",
    "__version__",
    "fingerprint",
    "fingerprint_json",
    "open_metrics",
    "plan",
]
