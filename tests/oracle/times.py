"""Times and durations as a caller gives them, in milliseconds, and the options of a window."""

import math

from .errors import OracleError

GREATEST = 2**53 - 1
ABSENT = None  # not given; a null that was given is NULL


class _Null:
    pass


NULL = _Null()


def milliseconds(value):
    """A time or a duration as an integer; a fraction is rounded half up."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise OracleError("invalid_time")
    if isinstance(value, float) and not math.isfinite(value):
        raise OracleError("invalid_time")
    if value < 0:  # before rounding: -0.2 is no 0
        raise OracleError("invalid_time")
    rounded = value if isinstance(value, int) else math.floor(value + 0.5)
    if rounded > GREATEST:
        raise OracleError("invalid_time")
    return rounded


def duration(value, zero_is_allowed=False):
    rounded = milliseconds(value)
    if rounded == 0 and not zero_is_allowed:
        raise OracleError("invalid_config")
    return rounded


def count(value, least, greatest):
    """A number that is no time."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise OracleError("invalid_config")
    if not least <= value <= greatest:
        raise OracleError("invalid_config")
    return value


def optional(value, convert, *more):
    return ABSENT if value is ABSENT else convert(value, *more)
