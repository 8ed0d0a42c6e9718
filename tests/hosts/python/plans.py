"""Cases of `plan`."""

import firstseen
from values import count_value, time_value


def make(case, of_ms):
    options = {name: count_value(value) for name, value in case["plan"].items() if name != "window_ms"}
    return firstseen.plan(options.pop("rate"), time_value(case["plan"]["window_ms"], of_ms), **options)


FIELDS = ("bytes", "false_drop_rate", "remembered_ms", "fits", "false_drops_per_day", "fitting_window_ms")


def record(plan):
    """A plan as the vectors write it."""

    def choice(name):
        found = getattr(plan, name)
        assert found is None or found.memory == name, repr(found)
        return found and {field: getattr(found, field) for field in FIELDS}

    text = str(plan).split("\n")
    assert text[-1] == f"recommended: {plan.recommended or 'none'}; {plan.reason}", text[-1]
    choices = {name: choice(name) for name in ("exact", "cuckoo", "bloom")}
    return {"expected_ids": plan.expected_ids, "recommended": plan.recommended, **choices, "text": text}
