"""A window, modelled as plainly as the contract is written.

Everything that is held lies in `buckets`, oldest first, each with its ids in a set; every call walks them.
"""

import copy

from .claims import Claims
from .errors import OracleError
from .filters import Bloom, Cuckoo, Exact
from .ids import NO_SECRET, _secret, encode, fingerprint
from .times import ABSENT, GREATEST, count, duration, milliseconds, optional

COUNTS = (
    "checked first duplicate conflict probable_duplicate in_flight late rejected expired evicted forgotten "
    "leases_expired clock_regressions clock_resets"
).split()

MOST_EARLY_CLOSED = 64


class Bucket:
    def __init__(self, index):
        self.first = self.index = index  # a generation's index moves on
        self.ids = set()  # still held
        self.positions = set()  # of a Bloom filter
        self.bodies = {}
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

    @classmethod
    def bloom(cls, window_ms, expected_ids, false_drop_rate, bucket_ms=ABSENT, **options):
        return cls._filter(
            Bloom, 63, ("degrade", "reject"), window_ms, bucket_ms, (expected_ids, false_drop_rate), options
        )

    @classmethod
    def cuckoo(cls, window_ms, expected_ids, false_drop_rate, bucket_ms=ABSENT, **options):
        policies = ("reject", "evict_oldest")
        return cls._filter(Cuckoo, 60, policies, window_ms, bucket_ms, (expected_ids, false_drop_rate), options)

    @classmethod
    def _filter(cls, memory, parts, policies, window_ms, bucket_ms, load, options):
        window = duration(window_ms)
        bucket = optional(bucket_ms, duration)
        if bucket is ABSENT:
            bucket = max(1, -(-window // parts))
        buckets = -(-window // bucket) + 1
        if not 2 <= buckets <= 250:
            raise OracleError("invalid_config")
        made = memory(*load, window, bucket, buckets)
        return cls(window, bucket, buckets, memory=made, policies=policies, **options)

    def __init__(
        self,
        window,
        bucket,
        buckets,
        *,
        memory=None,
        policies=("evict_oldest", "reject"),
        detect_conflicts=False,
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
        if on_full not in (ABSENT, *policies) or not isinstance(detect_conflicts, bool):
            raise OracleError("invalid_config")
        policy = policies[0] if on_full is ABSENT else on_full
        self.memory = memory or Exact()
        self.capacity = self.max_ids if memory is None else memory.capacity
        self.rejects, self.evicts = policy == "reject", policy == "evict_oldest" and self.capacity is not None
        if self.rejects and memory is None and self.max_ids is ABSENT:
            raise OracleError("invalid_config")
        if self.evicts and buckets + MOST_EARLY_CLOSED > 250:
            raise OracleError("invalid_config")
        # A 64th of what is held at most, or at full load.
        self.closes_at = -(-(self.max_ids if memory is None else memory.full_load) // 64) if self.evicts else None
        self.detects = detect_conflicts
        self.secret = secret
        self.claims = Claims()
        self.names = {}  # a case's names for tokens
        self.extends_to = None  # the bucket of time whose ids the newest generation takes too
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

    def _mode_of(self, now):
        mode = "clocked" if now is ABSENT else "told"
        if self.mode not in (None, mode):
            raise OracleError("invalid_time")
        return mode

    def _admit(self, now):
        """The `now` of a recording call, once its mode and its step are accepted."""
        mode = self._mode_of(now)
        if mode == "clocked":
            return self._reading(), mode
        if self.max_step is not ABSENT and self.time is not None and now > self.time + self.max_step:
            raise OracleError("clock_step")
        return now, mode

    def _tell(self, now, ids):
        before, resets = self.time, self.counts["clock_resets"]
        self._tell_time(now, ids)
        if self.counts["clock_resets"] > resets:
            self.claims.move(now - before)
        self._follow_leases()

    def _follow_leases(self):
        if self.time is not None:
            self.counts["leases_expired"] += self.claims.follow(self.time, self.window)

    def _tell_time(self, now, ids):
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
            bucket.first += moved
            bucket.last += moved * self.bucket
        self.complete_from += moved * self.bucket
        if self.extends_to is not None:
            self.extends_to += moved
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
        if isinstance(self.memory, Bloom):
            self._turn()

    def _turn(self):
        """When window time comes to another bucket, the newest generation closes, or takes the ids of that too."""
        if not self.buckets:
            self.extends_to = None
            return
        newest = self.buckets[-1]
        if newest.closed_early or self.head in (newest.index, self.extends_to):
            return
        if self.memory.may_close(self.buckets, self.head) and self.memory.is_over(newest, self.head):
            newest.closed_early = True
        else:
            self.extends_to = self.head

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
        self._follow_leases()

    # ---- recording --------------------------------------------------------------------------------

    def first_seen(self, value, now=ABSENT):
        return self.observe(value, now)["kind"] == "first"

    def first_seen_many(self, values, now=ABSENT):
        return [verdict["kind"] == "first" for verdict in self.observe_many(values, now)]

    def _key(self, value):
        encoded = encode(value)
        if self.memory.exact:
            return encoded
        return int.from_bytes(fingerprint(value, self.secret)[:8], "little")

    def _keys(self, values):
        if not isinstance(values, list):
            raise OracleError("invalid_id")
        return [self._key(value) for value in values]

    def observe(self, value, now=ABSENT, at=ABSENT, body=ABSENT):
        key = self._key(value)
        if body is not ABSENT:
            now, at = optional(now, milliseconds), optional(at, milliseconds)
            if not self.detects:
                raise OracleError("unsupported")
        verdict = self._record_all([key], now, at)[0]
        if body is ABSENT:
            return verdict
        bodies = self._bucket_of(key).bodies if verdict["kind"] in ("first", "duplicate") else {}
        body = body.encode() if isinstance(body, str) else body
        if verdict["kind"] == "first":
            bodies[key] = body
        elif verdict["kind"] == "duplicate" and bodies.get(key, body) != body:
            self.counts["duplicate"] -= 1
            self.counts["conflict"] += 1
            return {"kind": "conflict", "age_ms": verdict["age_ms"]}
        return verdict

    def observe_many(self, values, now=ABSENT):
        return self._record_all(self._keys(values), now, ABSENT)

    def _record_all(self, keys, now, at):
        now = optional(now, milliseconds)
        at = optional(at, milliseconds)
        if not keys:
            return []
        now, mode = self._admit(now)
        self._tell(now, len(keys))
        self.mode = mode
        return self._all_or_nothing(keys, lambda window, key: window._record(key, at), records=True)

    def _all_or_nothing(self, keys, one, records=False):
        """What `one` says of each, on a copy that is dropped if there is no room for all."""
        if len(keys) == 1 or not (self.rejects or self.evicts):
            return [self._one(one, key) for key in keys]
        if records and isinstance(self.memory, Bloom):
            # What it records cannot be taken back, so it is judged by how many are new at first.
            flying = {key for key in keys if self.claims.lease_left(key, self.time) is not None}
            new = {key for key in keys if self._bucket_of(key) is None} - flying
            if len(new) > self._room():
                self.counts["checked"] += 1
                self.counts["rejected"] += 1
                raise OracleError("full")
            return [self._one(one, key) for key in keys]
        draft = self._draft()
        try:
            answers = [one(draft, key) for key in keys]
        except OracleError:
            if not self.evicts:  # else it is noticed before the first
                self.claims.last_token = draft.claims.last_token
            self.counts["checked"] += 1
            self.counts["rejected"] += 1
            raise
        self.buckets, self.claims, self.counts = draft.buckets, draft.claims, draft.counts
        self.complete_from = draft.complete_from
        return answers

    def _one(self, one, key):
        try:
            return one(self, key)
        except OracleError:
            self.counts["checked"] += 1
            self.counts["rejected"] += 1
            raise

    def _draft(self):
        draft = copy.copy(self)
        draft.buckets, draft.claims = copy.deepcopy(self.buckets), copy.deepcopy(self.claims)
        draft.counts = dict(self.counts)
        return draft

    def _count(self, kind):
        self.counts["checked"] += 1
        self.counts[kind] += 1

    def _seen(self, key, at):
        """The verdict, if it is not first."""
        verdict = None
        bucket = self._bucket_of(key)
        left = self.claims.lease_left(key, self.time)
        late = at is not ABSENT and self.max_lateness is not ABSENT and self.time - at > self.max_lateness
        if bucket is not None:
            verdict = self._duplicate(bucket, self.head)
        elif left is not None:
            verdict = {"kind": "in_flight", "lease_left_ms": left}
        elif late:
            verdict = {"kind": "late"}
        if verdict is not None:
            self._count(verdict["kind"])
        return verdict

    def _duplicate(self, bucket, head):
        if not self.memory.exact:
            return {"kind": self.memory.kind}
        return {"kind": "duplicate", "age_ms": (head - bucket.index) * self.bucket}

    def _record(self, key, at):
        verdict = self._seen(key, at)
        if verdict is not None:
            return verdict
        own = self.claims.of_key(key)
        self._make_room(len(self.claims) - (own is not None))
        self.claims.drop(key)
        self._put(key)
        self._count("first")
        return {"kind": "first"}

    def _put(self, key):
        newest = self._newest_open()
        if newest is None:
            newest = Bucket(self.head)
            self.buckets.append(newest)
        newest.index = self.head
        newest.ids.add(self.memory.name(key))
        if isinstance(self.memory, Bloom):
            newest.positions |= self.memory.positions(key)
        newest.recorded += 1
        newest.last = self.time if newest.last is None else max(newest.last, self.time)

    def _newest_open(self):
        """The bucket that takes ids at present, if it was opened."""
        newest = self.buckets[-1] if self.buckets else None
        if newest is not None and self.head in (newest.index, self.extends_to) and not newest.closed_early:
            return newest
        return None

    def _close(self):
        """The newest bucket closes early if it has its share."""
        newest = self._newest_open()
        if newest is None:
            return
        if isinstance(self.memory, Bloom):
            most = self.memory.may_close(self.buckets, self.head)
            newest.closed_early = most is not None and newest.recorded >= self.memory.share(self.buckets, most)
            return
        early_closed = sum(bucket.closed_early for bucket in self.buckets)
        if self.evicts and newest.recorded >= self.closes_at and early_closed < MOST_EARLY_CLOSED:
            newest.closed_early = True

    def _make_room(self, claims):
        """For one more beside so many claims."""
        self._close()
        if self.rejects and isinstance(self.memory, Bloom):
            newest = self._newest_open()
            others = [bucket.recorded for bucket in self.buckets if bucket is not newest]
            recorded = 0 if newest is None else newest.recorded
            if recorded + claims >= self.memory.limit(others):
                raise OracleError("full")
        elif self.rejects and self.held + claims >= self.capacity:
            raise OracleError("full")
        elif self.evicts:
            if claims >= self.capacity:
                raise OracleError("full")
            while self.held >= self.capacity - claims:
                oldest = self.buckets.pop(0)
                self.counts["evicted"] += len(oldest.ids)
                if oldest.ids:
                    self.complete_from = max(self.complete_from, oldest.last + 1)

    def _room(self):
        """How many new ids a rejecting Bloom filter takes in all, in generations that would be opened for them too."""
        draft, room = self._draft(), 0
        while True:
            draft._close()
            newest = draft._newest_open()
            others = [bucket.recorded for bucket in draft.buckets if bucket is not newest]
            recorded = 0 if newest is None else newest.recorded
            if recorded + len(self.claims) >= self.memory.limit(others):
                return room
            room += 1
            if newest is None:
                newest = Bucket(draft.head)
                draft.buckets.append(newest)
            newest.index = draft.head
            newest.recorded += 1

    # ---- claims -----------------------------------------------------------------------------------

    def claim(self, value, lease, now=ABSENT, at=ABSENT):
        key = self._key(value)
        lease, now, at = milliseconds(lease), optional(now, milliseconds), optional(at, milliseconds)
        self._mode_of(now)
        lease = duration(lease)
        now, mode = self._admit(now)
        self._tell(now, 1)
        self.mode = mode
        return self._all_or_nothing([key], lambda window, key: window._claim(key, lease, at))[0]

    def claim_many(self, values, lease, now=ABSENT):
        keys = self._keys(values)
        lease, now = milliseconds(lease), optional(now, milliseconds)
        if not keys:
            duration(lease)
            return []
        self._mode_of(now)
        lease = duration(lease)
        now, mode = self._admit(now)
        self._tell(now, len(keys))
        self.mode = mode
        return self._all_or_nothing(keys, lambda window, key: window._claim(key, lease, ABSENT))

    def _claim(self, key, lease, at):
        """The verdict, and the token if it is first."""
        verdict = self._seen(key, at)
        if verdict is not None:
            return verdict, None
        if self.claims.of_key(key) is None:
            self._make_room(len(self.claims))
        self._count("first")
        return {"kind": "first"}, self.claims.add(key, self.time + lease)

    def commit(self, token, now=ABSENT):
        now, mode = self._admit(optional(now, milliseconds))
        self._stands(token, now)
        self._tell(now, 1)
        self.mode = mode
        self._commit(self.claims.of_token(token))

    def commit_many(self, tokens, now=ABSENT):
        now = optional(now, milliseconds)
        if not tokens:
            return []
        now, mode = self._admit(now)
        self._tell(now, len(tokens))
        self.mode = mode
        return [self._try_commit(token) for token in tokens]

    def _try_commit(self, token):
        try:
            self._commit(self.claims.of_token(token))
        except OracleError:
            return False
        return True

    def _commit(self, claim):
        self.claims.drop(claim.key)
        bucket = self._bucket_of(claim.key)
        # What is taken for it would be forgotten sooner.
        if bucket is not None and bucket is self._newest_open() and bucket.index == self.head:
            return
        if bucket is not None and self.memory.forgets:
            bucket.ids.remove(self.memory.name(claim.key))
        self._close()
        self._put(claim.key)

    def release(self, token):
        self.claims.drop(self.claims.of_token(token).key)

    def renew(self, token, lease, now=ABSENT):
        lease, now = milliseconds(lease), optional(now, milliseconds)
        self._mode_of(now)
        lease = duration(lease)
        now, mode = self._admit(now)
        self._stands(token, now)
        self._tell(now, 1)
        self.mode = mode
        claim = self.claims.of_token(token)
        claim.deadline, claim.ran_out = self.time + lease, False

    def _stands(self, token, now):
        """Whether a claim is on record still once this time is told."""
        later = self._draft()
        later._tell(now, 1)
        later.claims.of_token(token)

    # ---- forgetting -------------------------------------------------------------------------------

    def forget(self, value):
        key = self._key(value)
        if not self.memory.forgets:
            raise OracleError("unsupported")
        claimed = self.claims.drop(key)
        bucket = self._bucket_of(key)
        if bucket is None:
            return claimed
        bucket.ids.remove(self.memory.name(key))  # the bucket stays, and stays closed if it was
        bucket.bodies.pop(key, None)
        self.counts["forgotten"] += 1
        return True

    def clear(self):
        self.counts["forgotten"] += self.held
        self.buckets = []
        self.extends_to = None
        token = self.claims.last_token
        self.claims = Claims()
        self.claims.last_token = token
        self.complete_from = self.time

    # ---- reading ----------------------------------------------------------------------------------

    def _bucket_of(self, key):
        for bucket in reversed(self.buckets):
            if self.memory.holds(bucket, key):
                return bucket
        return None

    @property
    def held(self):
        return sum(len(bucket.ids) for bucket in self.buckets)

    def contains(self, value):
        return self._bucket_of(self._key(value)) is not None

    def __len__(self):
        return self.held

    def _as_of(self, now):
        if now is ABSENT:
            now = self.time if self.mode == "told" else self._reading()
        return now if self.time is None else max(now, self.time)

    def check(self, value, now=ABSENT):
        return self._check_all([self._key(value)], now)[0]

    def check_many(self, values, now=ABSENT):
        return self._check_all(self._keys(values), now)

    def _check_all(self, keys, now):
        now = optional(now, milliseconds)
        if not keys:
            return []
        as_of = self._as_of(now)
        head = as_of // self.bucket
        verdicts = []
        for key in keys:
            bucket = self._bucket_of(key)
            left = self.claims.lease_left(key, as_of)
            if bucket is not None and head < bucket.index + self.n:
                verdicts.append(self._duplicate(bucket, head))
            elif left is not None:
                verdicts.append({"kind": "in_flight", "lease_left_ms": left})
            else:
                verdicts.append({"kind": "first"})
        return verdicts

    def stats(self, now=ABSENT):
        as_of = self._as_of(optional(now, milliseconds))
        head = as_of // self.bucket
        alive = [bucket for bucket in self.buckets if bucket.ids and head < bucket.index + self.n]
        held = sum(len(bucket.ids) for bucket in alive)
        effective = 0 if self.time is None else max(0, min(self.window, as_of - self.complete_from))
        run_out = self.claims.run_out_by(as_of)
        stats = {
            **self.counts,
            "expired": self.counts["expired"] + self.held - held,
            "leases_expired": self.counts["leases_expired"] + run_out,
            "held": held,
            "pending": self.claims.running() - run_out,
            "max_ids": self.max_ids,
            "window_ms": self.window,
            "bucket_ms": self.bucket,
            "buckets": self.n,
            "effective_window_ms": effective,
            "oldest_age_ms": (head - alive[0].first) * self.bucket if alive else None,
            "fill_ratio": None if self.max_ids is ABSENT else held / self.max_ids,
            "estimated_false_drop_rate": held / 2**64,
        }
        if not self.memory.exact:
            stats["fill_ratio"] = self.memory.fill_ratio(held)
            # A Bloom filter's is a logarithm, whose last bit the languages' libraries do not share: cases pin it by hand.
            del stats["estimated_false_drop_rate"]
        return stats
