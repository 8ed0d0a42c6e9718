"""One window, many threads."""

import sys
import threading

import pytest
from firstseen import Window


@pytest.fixture(autouse=True)
def switch_often():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def run_together(count, work):
    barrier, failures = threading.Barrier(count), []

    def body(number):
        barrier.wait()
        try:
            work(number)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=body, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


@pytest.mark.parametrize("clock", [None, lambda: 1000.0])
def test_64_threads_on_10_000_shared_ids_see_each_first_once(clock):
    window = Window.exact(600, clock=clock)
    firsts = [0] * 64

    def work(number):
        for index in range(10_000):
            firsts[number] += window.first_seen(f"evt_{(index * 7 + number * 131) % 10_000}")

    run_together(64, work)
    assert sum(firsts) == 10_000
    stats = window.stats()
    assert (stats.first, stats.duplicate, stats.checked) == (10_000, 630_000, 640_000)


def test_batches_reads_and_calls_mix():
    window = Window.exact(600)
    firsts = [0] * 16

    def work(number):
        for start in range(0, 5000, 100):
            ids = [(number % 2 and "x" or "y", start + index) for index in range(100)]
            firsts[number] += sum(window.first_seen_many(ids))
            window.check_many(ids)
            window.stats()
            repr(window)
            assert len(window) >= 100

    run_together(16, work)
    assert sum(firsts) == 10_000 == len(window)


def test_threads_with_slightly_different_times():
    window = Window.exact(60)
    assert window.first_seen("y", 101)
    assert window.first_seen("x", 100)
    assert not window.first_seen("y", 100)
    assert window.stats().clock_regressions == 2

    firsts = [0] * 8

    def work(number):
        for index in range(5000):
            firsts[number] += window.first_seen(index, 1000 + index / 1000 - number)

    run_together(8, work)
    assert sum(firsts) == 5000


def test_an_iterator_may_use_the_window():
    window = Window.exact(60)

    def ids():
        for index in range(10):
            assert index not in window
            window.first_seen(("inner", index), 1)
            yield index

    assert window.first_seen_many(ids(), 1) == [True] * 10
    assert len(window) == 20
