"""Plans where they are Python's own: types, texts of values."""

import doctest
from datetime import timedelta

import firstseen
import pytest
from firstseen import FirstSeenError, FirstSeenTypeError, FirstSeenValueError, Window


def code(*arguments, **options):
    with pytest.raises(FirstSeenError) as caught:
        firstseen.plan(*arguments, **options)
    return caught.value.code


def test_options_are_keywords_and_are_judged():
    with pytest.raises(TypeError):
        firstseen.plan(1000)
    with pytest.raises(TypeError):
        firstseen.plan(1000, 60, 2**20)
    with pytest.raises(TypeError):
        firstseen.plan(1000, 60, bugdet=2**20)
    assert code(10**400, 60) == "invalid_config"
    assert code(1000, 60, budget=2**70) == "invalid_config"
    assert code(1000, 60, false_drop_rate=10**400) == "invalid_config"
    assert code(1000, -1) == "invalid_time"
    with pytest.raises(FirstSeenTypeError):
        firstseen.plan("1000", 60)
    with pytest.raises(FirstSeenTypeError):
        firstseen.plan(1000, 60, budget=1e6)
    with pytest.raises(FirstSeenValueError):
        firstseen.plan(-1, 60)


def test_what_was_asked_is_in_the_plan():
    plan = firstseen.plan(0.5, timedelta(hours=1), budget=2**20, false_drop_rate=0.01)
    assert (plan.rate, plan.window_ms, plan.budget, plan.false_drop_rate) == (0.5, 3_600_000, 2**20, 0.01)
    plan = firstseen.plan(1, 60, budget=None, false_drop_rate=None)
    assert (plan.budget, plan.false_drop_rate) == (None, None)


def test_texts_and_equality():
    plan = firstseen.plan(1000, 600)
    assert repr(plan) == "Plan(recommended='exact', expected_ids=600000)"
    assert repr(plan.exact).startswith("PlanChoice(memory='exact', bytes=11062384, fits=True, false_drop_rate=3.3")
    assert str(plan).splitlines()[0] == "600000 ids in a window of 600 s"
    assert plan == firstseen.plan(1000.0, 600.0)
    assert plan != firstseen.plan(1001, 600)
    assert plan.exact == firstseen.plan(1000, 600, budget=2**30).exact
    nothing = firstseen.plan(1000, 600, budget=1)
    assert repr(nothing) == "Plan(recommended=None, expected_ids=600000)"
    with pytest.raises(AttributeError):
        plan.recommended = "bloom"


def test_the_example_runs():
    example = doctest.DocTestParser().get_doctest(firstseen.plan.__doc__, {}, "plan", None, None)
    assert tuple(doctest.DocTestRunner().run(example))[:2] == (0, 3)


def test_a_window_of_the_plan_takes_no_more():
    plan = firstseen.plan(1000, 60)
    window = Window.exact(60)
    for second in range(120):
        window.first_seen_many(range(1000 * second, 1000 * second + 1000), now=second)
    assert window.stats().memory_bytes <= plan.exact.bytes + 39 * 1000
