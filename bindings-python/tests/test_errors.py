"""The exceptions: one family, stable codes, the same set as the core's and the stub's."""

import copy
import pickle

import firstseen
import pytest
from firstseen import FirstSeenError, FirstSeenTypeError, FirstSeenValueError, Window


def refused(call):
    with pytest.raises(FirstSeenError) as caught:
        call()
    return caught.value


def full():
    window = Window.exact(60, max_ids=1, on_full="reject")
    window.first_seen_many(["a", "b"], 1)


def bloom():
    return Window.bloom(60, expected_ids=9, false_drop_rate=0.1)


def step():
    window = Window.exact(60, max_step=1)
    window.first_seen("a", 1)
    window.first_seen("b", 3)


CASES = {
    "empty_id": (lambda: firstseen.fingerprint(""), FirstSeenValueError),
    "invalid_id": (lambda: firstseen.fingerprint(None), FirstSeenTypeError),
    "invalid_text": (lambda: firstseen.fingerprint("\ud800"), FirstSeenValueError),
    "invalid_json": (lambda: firstseen.fingerprint_json("{"), FirstSeenValueError),
    "invalid_time": (lambda: Window.exact(-1), FirstSeenValueError),
    "clock_step": (step, FirstSeenValueError),
    "invalid_config": (lambda: Window.exact(0), FirstSeenValueError),
    "full": (full, FirstSeenError),
    "lease_lost": (lambda: Window.exact(60).commit(7), FirstSeenError),
    "unsupported": (lambda: bloom().forget("a"), FirstSeenError),
}
# No call of this package brings these about on purpose.
OUT_OF_REACH = {"out_of_memory", "closed"}


def test_the_codes_are_those_of_the_core():
    assert CASES.keys() | OUT_OF_REACH == set(firstseen.ERROR_CODES)
    assert len(set(firstseen.ERROR_CODES)) == len(firstseen.ERROR_CODES)


@pytest.mark.parametrize("code", CASES)
def test_each_refusal_has_its_code_and_class(code):
    call, kind = CASES[code]
    error = refused(call)
    assert type(error) is kind
    assert error.code == code
    message = str(error)
    assert message == error.args[0]
    assert "accepted: " in message
    assert message[0] == "`" or message[0].islower()
    assert not message.endswith(".")


def test_the_family():
    assert issubclass(FirstSeenValueError, (FirstSeenError, ValueError))
    assert issubclass(FirstSeenValueError, ValueError)
    assert issubclass(FirstSeenTypeError, FirstSeenValueError)
    assert issubclass(FirstSeenTypeError, TypeError)
    assert not issubclass(FirstSeenError, (ValueError, TypeError))
    assert FirstSeenTypeError.__module__ == "firstseen"


@pytest.mark.parametrize("code", CASES)
def test_an_error_survives_pickle_and_copy(code):
    error = refused(CASES[code][0])
    travelled = [pickle.loads(pickle.dumps(error, protocol)) for protocol in range(6)]
    for other in (*travelled, copy.copy(error), copy.deepcopy(error)):
        assert type(other) is type(error)
        assert (str(other), other.code) == (str(error), error.code)


def test_a_refusal_does_not_disturb_the_window(window):
    window.first_seen("a", 5)
    before = window.stats()
    for call in (
        lambda: window.first_seen(None, 9),
        lambda: window.first_seen("b", -1),
        lambda: window.first_seen("b"),
        lambda: window.observe("b", 9, "x"),
        lambda: window.first_seen_many(["b", ""], 9),
        lambda: window.advance(),
    ):
        refused(call)
        assert window.stats() == before
