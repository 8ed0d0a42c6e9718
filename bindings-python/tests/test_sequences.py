"""Sequences where they are Python's own: types, texts of values, threads, the clock."""

import threading
from datetime import timedelta

import pytest
from firstseen import FirstSeenError, FirstSeenTypeError, Sequences, SequenceVerdict


def code(call):
    with pytest.raises(FirstSeenError) as caught:
        call()
    return caught.value.code


def test_options_are_keywords_and_are_judged():
    with pytest.raises(TypeError):
        Sequences(64)
    with pytest.raises(TypeError):
        Sequences()
    with pytest.raises(TypeError):
        Sequences(width=64, widht=64)
    assert code(lambda: Sequences(width=65_537)) == "invalid_config"
    assert code(lambda: Sequences(width=2**70)) == "invalid_config"
    assert code(lambda: Sequences(width=-1)) == "invalid_config"
    assert code(lambda: Sequences(width=True)) == "invalid_config"
    assert code(lambda: Sequences(width=64, max_producers=0)) == "invalid_config"
    assert code(lambda: Sequences(width=64, idle=timedelta(0))) == "invalid_config"
    assert code(lambda: Sequences(width=64, idle="1")) == "invalid_time"
    with pytest.raises(FirstSeenTypeError):
        Sequences(width="64")
    with pytest.raises(ValueError, match="`width` is `65537`; accepted: 0 to 65536 numbers"):
        Sequences(width=65_537)


def test_a_number_is_an_integer_of_64_bits():
    sequences = Sequences(width=64)
    for bad in (1.0, "1", None, True, b"1"):
        assert code(lambda bad=bad: sequences.first_seen("p", bad)) == "invalid_id"
        with pytest.raises(FirstSeenTypeError):
            sequences.observe("p", bad)
    with pytest.raises(ValueError, match="`seq` is `a negative integer`; accepted: an integer from 0 to 2\\^64-1"):
        sequences.first_seen("p", -1)
    with pytest.raises(ValueError, match="`epoch` is `an integer above 2\\^64-1`"):
        sequences.first_seen("p", 1, epoch=2**64)
    assert len(sequences) == 0


def test_the_epoch_and_the_time_are_keywords():
    sequences = Sequences(width=64)
    with pytest.raises(TypeError):
        sequences.first_seen("p", 1, 0)
    assert sequences.first_seen("p", 1, epoch=None)
    assert not sequences.first_seen("p", 1, epoch=0)


def test_a_verdict_is_a_value_without_a_truth_value():
    sequences = Sequences(width=64)
    first, duplicate = sequences.observe("p", 5), sequences.observe("p", 5)
    assert repr(first) == "SequenceVerdict(kind='first', gap=0)"
    assert repr(duplicate) == "SequenceVerdict(kind='duplicate')"
    assert first == sequences.observe("q", 5)
    assert first != duplicate
    assert len({first, duplicate, sequences.observe("r", 1)}) == 2
    assert isinstance(first, SequenceVerdict)
    assert (duplicate.first, duplicate.acknowledge, duplicate.gap) == (False, True, None)
    with pytest.raises(TypeError):
        bool(first)
    assert sequences.observe("p", 2**64 - 1).gap == 2**64 - 7


def test_empty_sequences_are_true_and_say_what_they_are():
    sequences = Sequences(width=8, idle=2.5)
    assert sequences
    assert len(sequences) == 0
    assert repr(sequences) == "<firstseen.Sequences width=8 max_producers=None idle_ms=2500 held=0>"
    stats = sequences.stats()
    assert repr(stats).startswith("SequenceStats(checked=0, first=0, ")
    assert (stats.idle_ms, stats.max_producers, stats.width) == (2500, None, 8)
    assert stats == sequences.stats()


def test_the_default_clock_serves_and_is_not_mixed_with_told_times():
    sequences = Sequences(width=64, idle=3600)
    assert sequences.first_seen("p", 1)
    assert not sequences.first_seen("p", 1)
    assert code(lambda: sequences.first_seen("p", 2, now=5)) == "invalid_time"
    assert sequences.stats().held == 1
    told = Sequences(width=64, idle=3600)
    assert told.first_seen("p", 1, now=5)
    assert code(lambda: told.first_seen("p", 2)) == "invalid_time"


def test_every_number_is_first_once_among_threads():
    sequences = Sequences(width=65_536)
    firsts = []

    def work():
        firsts.append(sum(sequences.first_seen(f"p{seq % 7}", seq) for seq in range(20_000)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(firsts) == 20_000
    assert sequences.stats().checked == 80_000
