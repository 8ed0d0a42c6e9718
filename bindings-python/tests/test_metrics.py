"""OpenMetrics text, judged by prometheus_client's parser, and its collector in real registries."""

import doctest
import subprocess
import sys
from types import MappingProxyType

import pytest
from firstseen import FirstSeenError, FirstSeenTypeError, Sequences, Window, open_metrics, prometheus
from firstseen.prometheus import Collector
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.openmetrics import exposition
from prometheus_client.openmetrics.parser import text_string_to_metric_families


def read(family):
    samples = sorted((each.name, sorted(each.labels.items()), each.value) for each in family.samples)
    return family.type, family.unit, family.documentation, samples


def windows():
    full = Window.exact(60, max_ids=3, on_full="reject")
    for id in (1, 2, 1):
        full.first_seen(id, now=90.5)
    sequences = Sequences(width=8, idle=60)
    sequences.first_seen("sensor", 1, now=0)
    sequences.first_seen("sensor", 9, now=0)
    return {"payments": full, 'say "hi"\\\n': Window.exact(600), "ü": sequences}


def parsed(text):
    return {family.name: family for family in text_string_to_metric_families(text)}


def test_every_figure_is_there_with_its_type_and_unit():
    given = windows()
    families = parsed(open_metrics(given, now=120))
    seen = set()
    for name, window in given.items():
        of_sequences = isinstance(window, Sequences)
        prefix, label = ("firstseen_sequences_", "sequences") if of_sequences else ("firstseen_", "window")
        stats = window.stats(120)
        for field in (field for field in dir(stats) if not field.startswith("_")):
            value = getattr(stats, field)
            base, unit, scale = field, "", 1
            for ending, unit_of, scale_of in (
                ("_ms", "seconds", 1000),
                ("_bytes", "bytes", 1),
                ("_rate", "ratio", 1),
                ("_ratio", "ratio", 1),
            ):
                if field.endswith(ending):
                    base, unit, scale = f"{field.removesuffix(ending)}_{unit_of}", unit_of, scale_of
            family = families[prefix + base]
            assert (family.unit, bool(family.documentation)) == (unit, True)
            counts = f"{prefix}{base}_total"
            assert family.type == ("counter" if any(each.name == counts for each in family.samples) else "gauge")
            found = [each.value for each in family.samples if each.labels == {label: name}]
            assert found == ([] if value is None else [value / scale]), field
            seen.add(family.name)
    assert seen == set(families)


def test_counters_are_what_only_grows():
    families = parsed(open_metrics({"w": Window.exact(60), "s": Sequences(width=1)}))
    gauges = {
        name.removeprefix("firstseen_").removeprefix("sequences_")
        for name, each in families.items()
        if each.type == "gauge"
    }
    assert gauges == {
        "held", "pending", "max_ids", "max_producers", "width", "buckets", "memory_bytes", "window_seconds", "bucket_seconds",
        "effective_window_seconds", "oldest_age_seconds", "idle_seconds", "fill_ratio", "estimated_false_drop_ratio",
    }  # fmt: skip


def test_reading_changes_nothing_and_no_windows_are_an_empty_text():
    given = windows()
    before = [(len(each), each.stats(120)) for each in given.values()]
    assert open_metrics(given, now=120) == open_metrics(given, now=120)
    assert [(len(each), each.stats(120)) for each in given.values()] == before
    assert open_metrics({}) == "# EOF\n"
    assert open_metrics(MappingProxyType(given), 120) == open_metrics(given, now=120)


@pytest.mark.parametrize(
    "wrong", [None, [], "a", Window.exact(1), {"a": 1}, {"a": None}, {1: Window.exact(1)}, {"a": {"b": 1}}]
)
def test_what_is_no_mapping_of_windows_is_refused(wrong):
    with pytest.raises(FirstSeenTypeError) as error:
        open_metrics(wrong)
    assert error.value.code == "invalid_config"


@pytest.mark.parametrize("name", ["", "\ud800"])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(FirstSeenError) as error:
        open_metrics({name: Window.exact(1)})
    assert (error.value.code, isinstance(error.value, ValueError)) == ("invalid_config", True)


def test_the_errors_of_stats_and_of_clocks_come_through():
    with pytest.raises(FirstSeenError) as error:
        open_metrics({"a": Window.exact(1)}, now=-1)
    assert error.value.code == "invalid_time"

    def clock():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        open_metrics({"a": Window.exact(1, clock=clock)})


def test_a_registry_exposes_what_the_text_says():
    given = windows()
    registry = CollectorRegistry(auto_describe=True)
    registry.register(Collector(given))
    exposed = parsed(exposition.generate_latest(registry).decode())
    direct = parsed(open_metrics(given))
    assert {name: read(family) for name, family in exposed.items()} == {
        name: read(family) for name, family in direct.items()
    }
    assert b'firstseen_held{window="payments"} 2.0\n' in generate_latest(registry)


def test_a_registry_sees_windows_that_came_later_and_refuses_names_twice():
    given = {}
    registry = CollectorRegistry(auto_describe=True)
    registry.register(Collector(given))
    given["late"] = Window.exact(60)
    assert registry.get_sample_value("firstseen_held", {"window": "late"}) == 0
    given["late"].first_seen("a", now=5)
    assert registry.get_sample_value("firstseen_held", {"window": "late"}) == 1
    other = CollectorRegistry(auto_describe=True)
    other.register(Collector({"a": Window.exact(60)}))
    with pytest.raises(ValueError, match="Duplicated"):
        other.register(Collector({"b": Window.exact(60)}))


def test_the_package_itself_does_not_import_prometheus_client():
    code = "import firstseen, sys; assert not any('prometheus' in name for name in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_examples_run():
    assert doctest.testmod(prometheus) == (0, 8)
    # doctest does not look for functions that are not written in Python.
    example = doctest.DocTestParser().get_doctest(open_metrics.__doc__, {}, "open_metrics", None, None)
    assert doctest.DocTestRunner().run(example) == (0, 4)
