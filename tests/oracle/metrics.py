"""OpenMetrics text of the figures, but for the help lines: written from the contract's list of figures and the rules of OpenMetrics."""

from decimal import Decimal

from .errors import OracleError
from .sequences import Sequences

GAUGES = {
    "held": "", "pending": "", "max_ids": "", "max_producers": "", "memory_bytes": "bytes", "window_ms": "seconds", "bucket_ms": "seconds",
    "buckets": "", "effective_window_ms": "seconds", "oldest_age_ms": "seconds", "fill_ratio": "ratio", "width": "", "idle_ms": "seconds",
    "estimated_false_drop_rate": "ratio",
}  # fmt: skip
OF_WINDOWS = """checked first duplicate conflict probable_duplicate in_flight late rejected expired evicted forgotten leases_expired clock_regressions
    clock_resets held pending max_ids memory_bytes window_ms bucket_ms buckets effective_window_ms oldest_age_ms fill_ratio
    estimated_false_drop_rate""".split()
OF_SEQUENCES = """checked first duplicate stale fenced gaps expired evicted forgotten clock_regressions clock_resets held max_producers
    memory_bytes width idle_ms""".split()


def number(value, unit):
    """Without an exponent, as short as it can be without being another double; three places of a broken second."""
    if unit == "seconds":
        return str(value // 1000) if value % 1000 == 0 else f"{value // 1000}.{value % 1000:03}"
    return f"{Decimal(repr(value)):f}" if isinstance(value, float) and value else str(int(value))


def lines(windows, **now):
    """The text of windows and sequences by their names, without the help lines."""
    records = []
    for name, window in windows.items():
        if not name or any("\ud800" <= letter <= "\udfff" for letter in name):
            raise OracleError("invalid_config")
        # The model counts no bytes.
        records.append((name, isinstance(window, Sequences), {**window.stats(**now), "memory_bytes": "*"}))
    text = []
    for of_sequences, prefix, fields in (
        (False, "firstseen_", OF_WINDOWS),
        (True, "firstseen_sequences_", OF_SEQUENCES),
    ):
        mine = [(name, stats) for name, is_sequences, stats in records if is_sequences == of_sequences]
        for field in fields if mine else ():
            unit = GAUGES.get(field, "")
            family = prefix + (f"{field.rpartition('_')[0]}_{unit}" if unit else field)
            text.append(f"# TYPE {family} {'gauge' if field in GAUGES else 'counter'}")
            if unit:
                text.append(f"# UNIT {family} {unit}")
            for name, stats in mine:
                value = stats[field]
                if value is None:
                    continue
                escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
                label = "sequences" if of_sequences else "window"
                sample = family if field in GAUGES else f"{family}_total"
                text.append(f'{sample}{{{label}="{escaped}"}} {value if value == "*" else number(value, unit)}')
    return [*text, "# EOF"]
