"""Writes random scenarios with the oracle's answers, in the format of the vectors.

    python tests/suite/generate.py --seed S --scenarios K --steps M --out DIR [--file-kb N]

The same arguments write the same bytes on every Python from 3.10 on.
"""

import argparse
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from oracle.errors import OracleError  # noqa: E402

from suite import plans  # noqa: E402
from suite.files import render  # noqa: E402
from suite.replay import call, make_window  # noqa: E402
from suite.sequences import Drawn  # noqa: E402

BUCKETS = (2, 3, 8, 60, 120, 250)
WIDTHS = (1, 2, 7, 10, 1000, 60000)
STARTS = (0, 1, 999, 123456, 1700000000000)
RECORDING = ("first_seen", "observe", "first_seen_many", "observe_many")


def pick(rng, *weighted):
    """One of (weight, value) pairs."""
    at = rng.random() * sum(weight for weight, _ in weighted)
    for weight, value in weighted:
        at -= weight
        if at < 0:
            return value
    return weighted[-1][1]


class Scenario:
    """Draws one case; `now` is the clock of an imagined world, which is not always what a caller says."""

    def __init__(self, rng, name, steps):
        self.rng, self.count = rng, steps
        self.b = rng.choice(WIDTHS)
        self.n = rng.choice(BUCKETS)
        self.pool = rng.choice((2, 5, 20, 100, 1000))
        self.case = {
            "name": name,
            "why": "drawn at random; the answers are the oracle's",
            "flags": ["random"],
            "window": self.geometry(),
        }
        self.now = rng.choice(STARTS)
        capped = "max_ids" in self.case["window"]
        self.slow = rng.random() < (0.6 if capped else 0.3)  # many calls in one bucket
        self.jumps = rng.choice((0.05, 0.2, 3))  # how often the clock leaps; seldom, or no window ever fills
        self.clocked = rng.random() < 0.25
        if self.clocked or rng.random() < 0.1:
            self.case["flags"].append("clocked")
            self.case["clock"] = self.now
        self.far = rng.choice((0.0, 0.01, 0.05))
        self.claiming = rng.choice((0, 0, 1, 4))
        self.names = []
        self.forgetful = capped and self.slow and rng.random() < 0.4  # leaves many emptied buckets behind

    def geometry(self):
        window = self.filter() if self.rng.random() < 0.25 else self.exact()
        rng = self.rng
        if rng.random() < 0.25:
            window["max_step_ms"] = rng.choice((1, self.b, self.n * self.b, 3 * self.n * self.b))
        if rng.random() < 0.4:
            window["max_lateness_ms"] = rng.choice((0, 1, self.b, self.n * self.b, 2 * self.n * self.b))
        if rng.random() < 0.2:
            window["secret"] = f"{rng.getrandbits(128):032x}"
        return window

    def filter(self):
        """Small and often wrong, or full."""
        rng, kind = self.rng, self.rng.choice(("bloom", "cuckoo"))
        window = {"from": kind}
        policy = rng.choice(
            ({}, {"on_full": "reject"}, {"on_full": {"bloom": "degrade", "cuckoo": "evict_oldest"}[kind]})
        )
        if policy.get("on_full") == "evict_oldest":
            self.n = min(self.n, 186)
        window["window_ms"] = (self.n - 1) * self.b - rng.randrange(self.b)
        if rng.random() < 0.7 or not 2 <= -(-window["window_ms"] // -(-window["window_ms"] // 60)) + 1 == self.n:
            window["bucket_ms"] = self.b
        window["expected_ids"] = rng.choice((20, 50, 200, 1000))
        window["false_drop_rate"] = rng.choice((0.5, 0.25, 0.05, 0.01))
        self.pool = window["expected_ids"] * rng.choice((1, 2, 4))
        return {**window, **policy}

    def exact(self):
        rng, window = self.rng, {}
        cap = rng.random() < 0.6
        rejects = cap and rng.random() < 0.4
        if cap and not rejects:
            self.n = min(self.n, 186)
        if rng.random() < 0.5:
            window = {"from": "buckets", "bucket_ms": self.b, "buckets": self.n}
        else:
            shorter = rng.randrange(self.b)  # W need not be a multiple of b
            window = {"from": "exact", "window_ms": (self.n - 1) * self.b - shorter, "bucket_ms": self.b}
        if cap:
            # Around the steps of k = ceil(max_ids/64), and far below the pool.
            window["max_ids"] = rng.choice((1, 2, 3, 5, 10, 63, 64, 65, 128, 129, 200))
            if rejects:
                window["on_full"] = "reject"
            self.pool = max(self.pool, window["max_ids"] * rng.choice((1, 2, 4)) + 2)
        if rng.random() < 0.2:
            window["detect_conflicts"] = True
        return window

    def id(self):
        k = self.rng.randrange(self.pool)
        kind = k % 5
        if kind == 0:
            return {"int": str(k)}
        if kind == 1:
            return {"text": f"id-{k}"}
        if kind == 2:
            return {"list": [{"text": "t"}, {"int": str(k)}]}
        if kind == 3:
            return self.rng.choice(({"bytes": f"k{k}".encode().hex()}, {"text": f"k{k}"}))  # one id
        return {"list": [{"text": ""}, {"bytes": f"{k:04x}"}]}

    def bad_id(self):
        return self.rng.choice(({"text": ""}, {"bytes": ""}, {"list": []}, {"list": [{"text": ""}, {"bytes": ""}]}))

    def ids(self):
        length = pick(self.rng, (1, 0), (3, 1), (6, self.rng.randrange(2, 6)), (1, self.rng.randrange(6, 40)))
        return [self.id() for _ in range(length)]

    def move(self):
        """How far the world's clock goes before a call."""
        rng, b, n = self.rng, self.b, self.n
        small = rng.randrange(0, max(1, b // 4) + 1)
        edge = rng.choice((n - 1, n, n + 1, 2 * n)) * b + rng.choice((-1, 0, 0, 1))
        usual = pick(rng, (6, 0), (4, small), (2, b), (1, rng.randrange(0, 3 * b + 1)))
        if self.slow:
            usual = pick(rng, (30, 0), (10, min(small, 1)), (1, b))
        leap = pick(rng, (2, rng.randrange(0, n * b)), (1, edge), (0.05, 10**9))
        self.now += max(0, pick(rng, (60, usual), (self.jumps, leap)))
        if rng.random() < 0.0015 * self.jumps + 0.001:
            self.now = max(0, self.now - rng.choice((n * b, n * b + 1, (n + 1) * b, 5 * n * b, self.now)))

    def told(self):
        """What a caller says that it is: mostly the world's clock, sometimes behind, far behind or bad."""
        rng, b, n = self.rng, self.b, self.n
        if rng.random() < self.far and self.model.time is not None:
            # The very edges: of the newest bucket, of far behind, of b after the suspect.
            start = self.model.head * b
            suspect = start if self.model.suspect is None else self.model.suspect
            return max(0, rng.choice((start, start - n * b, suspect + b, suspect)) + rng.choice((-1, 0, 0, 1)))
        if rng.random() < self.far:
            back = rng.choice((n * b, n * b + 1, n * b + b, (n + 1) * b + 1, 2 * n * b, 3 * n * b + rng.randrange(b)))
            return max(0, self.now - back)
        back = pick(rng, (20, 0), (2, 1), (2, rng.randrange(0, 2 * b)), (1, rng.randrange(0, n * b)))
        return max(0, self.now - back)

    def now_argument(self):
        rng = self.rng
        if rng.random() < 0.01:
            return {"now": rng.choice((-1, 2**53, {"float": "NaN"}, {"float": "Infinity"}, {"float": "-0.2"}))}
        if self.clocked != (rng.random() < 0.01):
            return {} if "clock" in self.case else {"now": self.told()}
        return {"now": self.told()}

    def read_argument(self):
        rng, span = self.rng, self.n * self.b
        if self.may_read_without_now and rng.random() < 0.5:
            return {}
        return {
            "now": max(0, self.now + rng.choice((0, 0, -span, self.b, span - 1, span, rng.randrange(-span, 2 * span))))
        }

    def step(self):
        rng = self.rng
        id_ = self.bad_id() if rng.random() < 0.02 else self.id()
        name = pick(
            rng,
            (30, "first_seen"),
            (24, "observe"),
            (6, "first_seen_many"),
            (5, "observe_many"),
            (8, "check"),
            (3, "check_many"),
            (5, "forget"),
            (2, "contains"),
            (3, "len"),
            (2, "advance"),
            (0.3, "clear"),
            (9, "stats"),
            (self.claiming * 12, "claim"),
            (self.claiming * 3, "claim_many"),
            (self.claiming * 9, "commit"),
            (self.claiming * 2, "commit_many"),
            (self.claiming * 2, "release"),
            (self.claiming * 2, "renew"),
        )
        if name in ("claim", "claim_many", "commit", "commit_many", "release", "renew"):
            return self.claim_step(name, id_)
        if name in ("first_seen", "observe"):
            step = {"call": name, "id": id_, **self.now_argument()}
            if name == "observe" and rng.random() < 0.5:
                lateness = self.case["window"].get("max_lateness_ms", self.b)
                step["at"] = max(0, self.now - rng.choice((0, lateness, lateness + 1, 2 * lateness, -self.b)))
            if name == "observe" and rng.random() < (0.7 if self.case["window"].get("detect_conflicts") else 0.01):
                step["body"] = rng.choice(({"text": "one"}, {"bytes": "6f6e65"}, {"text": ""}, {"text": "two"}))
            return step
        if name.endswith("_many"):
            ids = self.ids()
            if ids and rng.random() < 0.03:
                ids[rng.randrange(len(ids))] = self.bad_id()
            argument = self.read_argument() if name == "check_many" else self.now_argument()
            if not ids:  # an empty batch says no more than that its now is valid
                argument = {"now": rng.choice((self.now, -1))} if not self.clocked else {}
            return {"call": name, "ids": ids, **argument}
        if name == "check":
            return {"call": name, "id": id_, **self.read_argument()}
        if name in ("forget", "contains"):
            return {"call": name, "id": id_}
        if name == "advance":
            # Of the wrong kind now and then, once it is decided which that is.
            if self.clocked != (self.model.mode is not None and rng.random() < 0.1):
                return {"call": name}
            return {"call": name, "now": max(0, self.now + rng.choice((-self.b, 0, self.b)))}
        if name == "stats":
            return {"call": name, **self.read_argument()}
        return {"call": name}

    def claim_step(self, name, id_):
        rng, span = self.rng, self.n * self.b
        lease = {"lease_ms": rng.choice((1, self.b, span - 1, span, 3 * span, 1 + rng.randrange(span)))}
        if rng.random() < 0.01:
            lease = {"lease_ms": rng.choice((0, -1, 2**53, {"float": "0.4"}))}
        if name == "claim":
            step = {"call": name, "id": id_, **lease, **self.now_argument(), "as": self.fresh_name()}
            if rng.random() < 0.2:
                step["at"] = max(0, self.now - rng.choice((0, self.b, span)))
            return step
        if name == "claim_many":
            ids = self.ids()
            if not ids:
                return {"call": name, "ids": ids, "lease_ms": self.b, **({} if self.clocked else {"now": self.now})}
            return {"call": name, "ids": ids, **lease, **self.now_argument(), "as": [self.fresh_name() for _ in ids]}
        if name == "commit_many":
            tokens = [self.some_name() for _ in range(rng.randrange(1, 5))]
            return {"call": name, "tokens": tokens, **self.now_argument()}
        step = {"call": name, "token": self.some_name()}
        if name == "release":
            return step
        return {**step, **(lease if name == "renew" else {}), **self.now_argument()}

    def fresh_name(self):
        self.names.append(f"c{len(self.names)}")
        return self.names[-1]

    def some_name(self):
        """Mostly of the last ones, whatever became of it."""
        return self.rng.choice(self.names[-12:]) if self.names and self.rng.random() < 0.95 else "none"

    def draw(self):
        window, clock = make_window(self.case)
        self.model = window
        steps = []
        while len(steps) < self.count:
            self.move()
            if clock is not None and clock.ms != self.now:
                step = {"call": "set_clock", "ms": self.now}
                call(window, clock, step)
                steps.append(step)
            self.may_read_without_now = clock is not None or window.mode == "told"
            step, returned = self.step(), None
            try:
                returned = call(window, clock, step)
                if returned is not None:
                    step["returns"] = returned
            except OracleError as error:
                step["error"] = error.code
            steps.append(step)
            if self.forgetful and returned and step["call"] in RECORDING:
                for id_ in step.get("ids", [step.get("id")]):
                    if self.rng.random() < 0.95:
                        forget = {"call": "forget", "id": id_}
                        steps.append({**forget, "returns": call(window, clock, forget)})
            # A clocked window may have gone the other way by a call of the other kind that came first.
            if window.mode is not None:
                self.clocked = window.mode == "clocked"
            # An accepted jump, or else a max_step would refuse the rest of the scenario.
            if step.get("error") == "clock_step" and self.rng.random() < 0.5:
                step = {"call": "advance", "now": self.now}
                call(window, clock, step)
                steps.append(step)
            if step.get("error") or step["call"] == "clear" or len(steps) % 50 == 49:
                now = {} if self.may_read_without_now else {"now": self.now}
                check = {"call": "stats", **now}
                check["returns"] = call(window, clock, check)
                steps.append(check)
        self.case["steps"] = steps[: self.count]
        return self.case


def document(kind, cases, part):
    return {
        "kind": kind,
        "stage": "5-verdict",
        "about": f"Random cases, part {part}.",
        "count": len(cases),
        "cases": cases,
    }


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--scenarios", type=int, default=200)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--file-kb", type=int, default=4096, help="about how large a file may become")
    options = parser.parse_args(arguments)
    print(f"seed {options.seed}")

    rng = random.Random(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    for old in options.out.glob("random-*.json"):
        old.unlink()
    cases, size, part, errors = [], 0, 0, {}

    def flush(kind):
        nonlocal cases, size, part
        path = options.out / f"random-{part:03}.json"
        path.write_text(render(document(kind, cases, part)), encoding="utf-8", newline="\n")
        cases, size, part = [], 0, part + 1

    def add(kind, case):
        nonlocal size
        for step in case.get("steps", []):
            if "error" in step:
                errors[step["error"]] = errors.get(step["error"], 0) + 1
        length = len(render(document(kind, [case], 0)))
        if cases and size + length > options.file_kb * 1024:
            flush(kind)
        cases.append(case)
        size += length

    def own():
        return random.Random(rng.getrandbits(64))

    for number in range(options.scenarios):
        add("scenario", Scenario(own(), f"random {options.seed}-{number}", options.steps).draw())
    flush("scenario")
    drawn = max(1, options.scenarios // 4)
    for number in range(drawn):
        add("sequences", Drawn(own(), f"random sequences {options.seed}-{number}", options.steps).draw())
    flush("sequences")
    for number in range(drawn):
        add("plan", plans.drawn(own(), f"random plan {options.seed}-{number}"))
    flush("plan")
    print(f"{options.scenarios} scenarios, {drawn} sequences and as many plans in {part} files")
    print(f"errors {dict(sorted(errors.items()))}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
