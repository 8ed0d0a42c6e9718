"""Sequences, modelled as plainly as the contract is written: every number of an epoch that came lies in a set."""

from .errors import OracleError
from .ids import encode
from .times import ABSENT, GREATEST, count, duration, milliseconds, optional
from .window import Window

COUNTS = "checked first duplicate stale fenced gaps expired evicted forgotten clock_regressions clock_resets".split()


class Producer:
    def __init__(self, epoch):
        self.epoch = epoch
        self.seen = set()
        self.contact = 0


def number(value):
    """A seq or an epoch: 64 bits without a sign."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**64:
        raise OracleError("invalid_id")
    return value


class Sequences:
    def __init__(self, width, max_producers=ABSENT, idle_ms=ABSENT):
        self.width = count(width, 0, 65536)
        self.max_producers = optional(max_producers, count, 1, GREATEST)
        self.idle = optional(idle_ms, duration)
        # The time rules are those of a window that is as long as a producer may be idle.
        self.times = None if self.idle is ABSENT else Window.exact(self.idle)
        self.producers = {}  # in the order of the last contacts, oldest first
        self.counts = dict.fromkeys(COUNTS, 0)

    # ---- time -------------------------------------------------------------------------------------

    def _tell(self, now):
        """Window time after this call, once its idle producers are gone."""
        if self.times is None:
            return 0
        if now is ABSENT:
            raise RuntimeError("this vector depends on the default clock")
        before, resets = self.times.time, self.times.counts["clock_resets"]
        self.times._tell(now, 1)
        self.times.mode = "told"
        if self.times.counts["clock_resets"] > resets:
            for producer in self.producers.values():
                producer.contact += self.times.time - before
        alive = {key: each for key, each in self.producers.items() if not self._is_idle(each, self.times.time)}
        self.counts["expired"] += len(self.producers) - len(alive)
        self.producers = alive
        return self.times.time

    def _is_idle(self, producer, time):
        return time - producer.contact > self.idle

    # ---- recording --------------------------------------------------------------------------------

    def first_seen(self, producer, seq, epoch=0, now=ABSENT):
        return self.observe(producer, seq, epoch, now)["kind"] == "first"

    def observe(self, producer, seq, epoch=0, now=ABSENT):
        key, seq, epoch = encode(producer), number(seq), number(epoch)
        now = optional(now, milliseconds)
        if self.times is not None and now is ABSENT and self.times.mode == "told":
            raise OracleError("invalid_time")
        contact = self._tell(now)
        known = self.producers.pop(key, None)
        if known is None:
            if self.max_producers is not ABSENT and len(self.producers) == self.max_producers:
                del self.producers[next(iter(self.producers))]
                self.counts["evicted"] += 1
            known = Producer(epoch)
        known.contact = contact
        self.producers[key] = known
        verdict = self._judge(known, seq, epoch)
        self.counts["checked"] += 1
        self.counts[verdict["kind"]] += 1
        self.counts["gaps"] += verdict.get("gap", "0") != "0"
        return verdict

    def _judge(self, producer, seq, epoch):
        if epoch < producer.epoch:
            return {"kind": "fenced"}
        if epoch > producer.epoch:
            producer.epoch, producer.seen = epoch, set()
        if not producer.seen:
            producer.seen.add(seq)
            return {"kind": "first", "gap": "0"}
        high = max(producer.seen)
        if seq in producer.seen and (seq == high or high - seq < self.width):
            return {"kind": "duplicate"}
        if seq < high and high - seq >= self.width:
            return {"kind": "stale"}
        producer.seen.add(seq)
        return {"kind": "first", "gap": str(max(0, seq - high - 1))}

    # ---- the rest ---------------------------------------------------------------------------------

    def forget(self, producer):
        if self.producers.pop(encode(producer), None) is None:
            return False
        self.counts["forgotten"] += 1
        return True

    def __len__(self):
        return len(self.producers)

    def stats(self, now=ABSENT):
        now = optional(now, milliseconds)
        gone = 0
        if self.times is not None:
            as_of = max(time for time in (now, self.times.time, 0) if time is not None)
            gone = sum(self._is_idle(producer, as_of) for producer in self.producers.values())
        clock = {} if self.times is None else {name: self.times.counts[name] for name in COUNTS if "clock" in name}
        return {
            **self.counts,
            **clock,
            "expired": self.counts["expired"] + gone,
            "held": len(self) - gone,
            "max_producers": self.max_producers,
            "width": self.width,
            "idle_ms": self.idle,
        }
