"""A window over an exact memory, modelled as plainly as the contract is written.

Everything that is held lies in `buckets`, oldest first, each with its ids in a set; every call walks them.
"""

from .errors import OracleError
from .ids import NO_SECRET, _secret, encode
from .times import ABSENT, GREATEST, count, duration, milliseconds, optional

COUNTS = (
    "checked first duplicate probable_duplicate in_flight late rejected expired evicted forgotten "
    "leases_expired clock_regressions clock_resets"
).split()

MOST_EARLY_CLOSED = 64


class Bucket:
    def __init__(self, index):
        self.index = index
        self.ids = set()  # still held
        self.recorded = 0  # ever recorded here, forgotten ones too
        self.last = None  # window time of the last record
        self.closed_early = False


class Window:
    # ---- making one -------------------------------------------------------------------------------

    @classmethod
    def exact(cls, window_ms, bucket_ms=ABSENT, **options):
        window = duration(window_ms)
        bucket = optional(bucket_ms, duration)
        if bucket is ABSENT:
            bucket = max(1, -(-window // 60))
        return cls(window, bucket, -(-window // bucket) + 1, **options)

    @classmethod
    def from_buckets(cls, bucket_ms, buckets, **options):
        bucket = duration(bucket_ms)
        buckets = count(buckets, 2, 250)
        if (buckets - 1) * bucket > GREATEST:
            raise OracleError("invalid_config")
        return cls((buckets - 1) * bucket, bucket, buckets, **options)

    def __init__(
        self,
        window,
        bucket,
        buckets,
        *,
        max_ids=ABSENT,
        on_full=ABSENT,
        secret=NO_SECRET,
        clock=None,
        max_step_ms=ABSENT,
        max_lateness_ms=ABSENT,
    ):
        if not 2 <= buckets <= 250:
            raise OracleError("invalid_config")
        self.window, self.bucket, self.n = window, bucket, buckets
        self.max_ids = optional(max_ids, count, 1, GREATEST)
        if on_full not in (ABSENT, "evict_oldest", "reject"):
            raise OracleError("invalid_config")
        self.rejects = on_full == "reject"
        if self.rejects and self.max_ids is ABSENT:
            raise OracleError("invalid_config")
        if self.max_ids is not ABSENT and not self.rejects and buckets + MOST_EARLY_CLOSED > 250:
            raise OracleError("invalid_config")
        _secret(secret)
        self.max_step = optional(max_step_ms, duration)
        self.max_lateness = optional(max_lateness_ms, duration, True)

        self.clock = clock  # a callable, or None: then nothing may depend on it
        self.mode = None  # "clocked" or "told", by the first recording call that succeeds
        self.time = None
        self.suspect = None
        self.complete_from = None
        self.buckets = []
        self.counts = dict.fromkeys(COUNTS, 0)

    # ---- time -------------------------------------------------------------------------------------

    @property
    def head(self):
        return self.time // self.bucket

    def _reading(self):
        if self.clock is None:
            raise RuntimeError("this vector depends on the default clock")
        return milliseconds(self.clock())

    def _admit(self, now):
        """The `now` of a recording call, once its mode and its step are accepted."""
        mode = "clocked" if now is ABSENT else "told"
        if self.mode not in (None, mode):
            raise OracleError("invalid_time")
        if mode == "clocked":
            return self._reading(), mode
        if self.max_step is not ABSENT and self.time is not None and now > self.time + self.max_step:
            raise OracleError("clock_step")
        return now, mode

    def _tell(self, now, ids):
        if self.time is None:
            self.time = self.complete_from = now
            return
        start = self.head * self.bucket
        if now >= start:
            self.suspect = None
            self.time = max(self.time, now)
            self._drop_expired()
            return
        if start - now > self.n * self.bucket:
            if self.suspect is not None and now >= self.suspect + self.bucket:
                self._re_anchor(now)
                return
            if self.suspect is None:
                self.suspect = now
        else:
            self.suspect = None
        self.counts["clock_regressions"] += ids

    def _re_anchor(self, now):
        moved = now // self.bucket - self.head
        for bucket in self.buckets:
            bucket.index += moved
            bucket.last += moved * self.bucket
        self.complete_from += moved * self.bucket
        self.time = now
        self.suspect = None
        self.counts["clock_resets"] += 1

    def _drop_expired(self):
        alive = []
        for bucket in self.buckets:
            if self.head >= bucket.index + self.n:
                self.counts["expired"] += len(bucket.ids)
            else:
                alive.append(bucket)
        self.buckets = alive

    def advance(self, now=ABSENT):
        now = optional(now, milliseconds)
        if self.mode == ("told" if now is ABSENT else "clocked"):
            raise OracleError("invalid_time")
        if now is ABSENT:
            now = self._reading()
        if self.time is None:
            self.time = self.complete_from = now
        elif now > self.time:
            self.time = now
            self._drop_expired()

    # ---- recording --------------------------------------------------------------------------------

    def first_seen(self, value, now=ABSENT):
        return self.observe(value, now)["kind"] == "first"

    def first_seen_many(self, values, now=ABSENT):
        return [verdict["kind"] == "first" for verdict in self.observe_many(values, now)]

    def observe(self, value, now=ABSENT, at=ABSENT):
        return self._record_all([encode(value)], now, at)[0]

    def observe_many(self, values, now=ABSENT):
        return self._record_all(_encode_all(values), now, ABSENT)

    def _record_all(self, keys, now, at):
        now = optional(now, milliseconds)
        at = optional(at, milliseconds)
        if not keys:
            return []
        now, mode = self._admit(now)
        self._tell(now, len(keys))
        self.mode = mode

        late = at is not ABSENT and self.max_lateness is not ABSENT and self.time - at > self.max_lateness
        new = {key for key in keys if self._bucket_of(key) is None}
        if new and not late and self.rejects and self.held + len(new) > self.max_ids:
            self.counts["checked"] += 1
            self.counts["rejected"] += 1
            raise OracleError("full")

        verdicts = []
        for key in keys:
            verdict = self._record(key, late)
            self.counts["checked"] += 1
            self.counts[verdict["kind"]] += 1
            verdicts.append(verdict)
        return verdicts

    def _record(self, key, late):
        bucket = self._bucket_of(key)
        if bucket is not None:
            return {"kind": "duplicate", "age_ms": (self.head - bucket.index) * self.bucket}
        if late:
            return {"kind": "late"}
        if self.max_ids is not ABSENT and not self.rejects:
            self._make_room()
        newest = self._newest_open()
        if newest is None:
            newest = Bucket(self.head)
            self.buckets.append(newest)
        newest.ids.add(key)
        newest.recorded += 1
        newest.last = self.time if newest.last is None else max(newest.last, self.time)
        return {"kind": "first"}

    def _newest_open(self):
        """The bucket that takes ids at present, if it was opened."""
        if self.buckets and self.buckets[-1].index == self.head and not self.buckets[-1].closed_early:
            return self.buckets[-1]
        return None

    def _make_room(self):
        newest = self._newest_open()
        early_closed = sum(bucket.closed_early for bucket in self.buckets)
        if newest is not None and newest.recorded >= -(-self.max_ids // 64) and early_closed < MOST_EARLY_CLOSED:
            newest.closed_early = True
        while self.held >= self.max_ids:
            oldest = self.buckets.pop(0)
            self.counts["evicted"] += len(oldest.ids)
            if oldest.ids:
                self.complete_from = max(self.complete_from, oldest.last + 1)

    # ---- forgetting -------------------------------------------------------------------------------

    def forget(self, value):
        key = encode(value)
        bucket = self._bucket_of(key)
        if bucket is None:
            return False
        bucket.ids.remove(key)  # the bucket stays, and stays closed if it was
        self.counts["forgotten"] += 1
        return True

    def clear(self):
        self.counts["forgotten"] += self.held
        self.buckets = []
        self.complete_from = self.time

    # ---- reading ----------------------------------------------------------------------------------

    def _bucket_of(self, key):
        for bucket in self.buckets:
            if key in bucket.ids:
                return bucket
        return None

    @property
    def held(self):
        return sum(len(bucket.ids) for bucket in self.buckets)

    def contains(self, value):
        return self._bucket_of(encode(value)) is not None

    def __len__(self):
        return self.held

    def _as_of(self, now):
        if now is ABSENT:
            now = self.time if self.mode == "told" else self._reading()
        return now if self.time is None else max(now, self.time)

    def check(self, value, now=ABSENT):
        return self._check_all([encode(value)], now)[0]

    def check_many(self, values, now=ABSENT):
        return self._check_all(_encode_all(values), now)

    def _check_all(self, keys, now):
        now = optional(now, milliseconds)
        if not keys:
            return []
        head = self._as_of(now) // self.bucket
        verdicts = []
        for key in keys:
            bucket = self._bucket_of(key)
            if bucket is None or head >= bucket.index + self.n:
                verdicts.append({"kind": "first"})
            else:
                verdicts.append({"kind": "duplicate", "age_ms": (head - bucket.index) * self.bucket})
        return verdicts

    def stats(self, now=ABSENT):
        as_of = self._as_of(optional(now, milliseconds))
        head = as_of // self.bucket
        alive = [bucket for bucket in self.buckets if bucket.ids and head < bucket.index + self.n]
        held = sum(len(bucket.ids) for bucket in alive)
        effective = 0 if self.time is None else max(0, min(self.window, as_of - self.complete_from))
        return {
            **self.counts,
            "expired": self.counts["expired"] + self.held - held,
            "held": held,
            "pending": 0,
            "max_ids": self.max_ids,
            "window_ms": self.window,
            "bucket_ms": self.bucket,
            "buckets": self.n,
            "effective_window_ms": effective,
            "oldest_age_ms": (head - alive[0].index) * self.bucket if alive else None,
            "fill_ratio": None if self.max_ids is ABSENT else held / self.max_ids,
            "estimated_false_drop_rate": held / 2**64,
        }


def _encode_all(values):
    if not isinstance(values, list):
        raise OracleError("invalid_id")
    return [encode(value) for value in values]
