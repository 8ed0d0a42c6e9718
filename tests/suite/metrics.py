"""A case of OpenMetrics text on the oracle."""

from oracle.errors import OracleError
from oracle.metrics import lines

from . import replay, sequences
from .values import plain_value


def make(each):
    """The window or the sequences of a part of a case, after its steps, and why a step was wrong."""
    if "sequences" in each:
        made = sequences.make(each)
        return made, sequences.run_steps(made, each["steps"])
    made, clock = replay.make_window(each)
    return made, replay.run_steps(made, clock, each["steps"])


def run(case):
    """What the oracle should have said and did not, or None."""
    made = {name: make(each) for name, each in case["windows"].items()}
    for name, (_, wrong) in made.items():
        if wrong:
            return f"{name}: {wrong}"
    now = {"now": plain_value(case["now"])} if "now" in case else {}
    try:
        found = lines({name: each for name, (each, _) in made.items()}, **now)
    except OracleError as error:
        return None if error.code == case.get("error") else f"failed with {error.code}"
    if "error" in case:
        return f"succeeded, expected {case['error']}"
    plain = [line for line in case["lines"] if not line.startswith("# HELP ")]
    differs = [f"{got!r}, expected {line!r}" for got, line in zip(found, plain, strict=False) if got != line]
    if differs or len(found) != len(plain):
        return f"{len(found)} lines, expected {len(plain)}; {differs[:1]}"
    return None
