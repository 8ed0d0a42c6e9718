"""What `Window.once` does around a function: claim, renew while it runs, commit or release."""

import asyncio
import functools
import heapq
import inspect
import threading
import time

from firstseen._errors import FirstSeenError


class InFlight(Exception):
    """Another delivery of the event is being processed: do not acknowledge this one, so that it is delivered again."""

    def __init__(self, verdict):
        super().__init__(f"the event is in flight, for {verdict.lease_left_ms} ms at most")
        self.verdict = verdict
        self.lease_left_ms = verdict.lease_left_ms

    def __reduce__(self):
        return _in_flight_again, (str(self), self.lease_left_ms)


InFlight.__module__ = "firstseen"


def _in_flight_again(message, lease_left_ms):
    error = InFlight.__new__(InFlight)
    Exception.__init__(error, message)
    error.verdict, error.lease_left_ms = None, lease_left_ms
    return error


async def ready(value):
    return value


class _Renewer:
    """One thread for all claims of synchronous functions: it wakes when the next is due."""

    def __init__(self):
        self._wake = threading.Condition()
        self._due = []
        self._count = 0
        self._thread = None

    def start(self, claim, lease, seconds):
        entry = [time.monotonic() + seconds / 2, self._number(), claim, lease, seconds]
        with self._wake:
            # After a fork there is no such thread.
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="firstseen-renewals", daemon=True)
                self._thread.start()
            heapq.heappush(self._due, entry)
            self._wake.notify()
        return entry

    def stop(self, entry):
        with self._wake:
            entry[2] = None

    def _number(self):
        # So that no two entries are compared beyond it.
        self._count += 1
        return self._count

    def _run(self):
        with self._wake:
            while True:
                while not self._due:
                    self._wake.wait()
                entry = self._due[0]
                left = entry[0] - time.monotonic()
                if entry[2] is not None and left > 0:
                    self._wake.wait(left)
                    continue
                heapq.heappop(self._due)
                if entry[2] is None:
                    continue
                try:
                    # Under the lock, so that a claim is never renewed once `stop` has returned.
                    entry[2].renew(entry[3])
                except FirstSeenError:
                    # Lost: the commit will say so.
                    continue
                entry[0] = time.monotonic() + entry[4] / 2
                heapq.heappush(self._due, entry)


_renewer = _Renewer()


def _seconds(lease):
    return lease.total_seconds() if hasattr(lease, "total_seconds") else float(lease)


def _pause(claim, until):
    """How long to wait for an event in flight; raises once the patience is over."""
    left = claim.verdict.lease_left_ms / 1000
    patience = until - time.monotonic()
    if patience <= 0:
        raise InFlight(claim.verdict)
    return max(0.001, min(left, patience, 0.05))


def _until(wait):
    return time.monotonic() + (float("inf") if wait is True else float(wait))


def decorator(window, key, lease, wait):
    """`key` makes the id of the arguments; `wait` is how many seconds to wait for what is in flight, True for as long as it takes."""
    seconds = _seconds(lease)

    def of(function):
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def once(*args, **kwargs):
                id, until = key(*args, **kwargs), _until(wait)
                while (claim := window.claim(id, lease=lease)).verdict.kind == "in_flight":
                    await asyncio.sleep(_pause(claim, until))
                if not claim.first:
                    return None
                renewal = asyncio.create_task(_renew(claim, lease, seconds))
                try:
                    with claim:
                        return await function(*args, **kwargs)
                finally:
                    renewal.cancel()
        else:

            @functools.wraps(function)
            def once(*args, **kwargs):
                id, until = key(*args, **kwargs), _until(wait)
                while (claim := window.claim(id, lease=lease)).verdict.kind == "in_flight":
                    time.sleep(_pause(claim, until))
                if not claim.first:
                    return None
                renewal = _renewer.start(claim, lease, seconds)
                try:
                    with claim:
                        return function(*args, **kwargs)
                finally:
                    _renewer.stop(renewal)

        return once

    return of


async def _renew(claim, lease, seconds):
    while True:
        await asyncio.sleep(seconds / 2)
        try:
            claim.renew(lease)
        except FirstSeenError:
            # Lost: the commit will say so.
            return
