"""A case of sequences on the oracle, and random ones."""

from oracle.errors import OracleError
from oracle.sequences import Sequences

from .values import id_value, plain_value


def number_value(value):
    """A seq or an epoch: digits, or a tagged value that is none."""
    return int(value) if isinstance(value, str) else plain_value(value)


def make(case):
    return Sequences(**{name: plain_value(value) for name, value in case["sequences"].items()})


def call(sequences, step):
    """What one step returns; an OracleError passes through."""
    name = step["call"]
    if name == "len":
        return len(sequences)
    values = [id_value(step["producer"])] if "producer" in step else []
    options = {key: number_value(step[key]) for key in ("seq", "epoch") if key in step}
    if "now" in step:
        options["now"] = plain_value(step["now"])
    return getattr(sequences, name)(*values, **options)


def run(case):
    """What the oracle should have said and did not, or None."""
    try:
        sequences = make(case)
    except OracleError as error:
        return None if error.code == case.get("error") else f"the constructor failed with {error.code}"
    if "error" in case:
        return f"the constructor succeeded, expected {case['error']}"
    return run_steps(sequences, case["steps"])


def run_steps(sequences, steps):
    """Why a step is wrong, or None."""
    for number, step in enumerate(steps):
        try:
            found = {"returns": call(sequences, step)}
        except OracleError as error:
            found = {"error": error.code}
        if step["call"] == "stats" and "returns" in found and "returns" in step:
            found["returns"] = {name: found["returns"][name] for name in step["returns"]}
        if found != {key: step[key] for key in ("returns", "error") if key in step}:
            return f"step {number} {step}: {found}"
    return None


class Drawn:
    """Draws one case: numbers about the mark, the bitmap's edge and words' borders; epochs; idle and evicted producers."""

    def __init__(self, rng, name, steps):
        self.rng, self.count = rng, steps
        options = {"width": rng.choice((0, 1, 2, 63, 64, 65, 100, 128, 1000, 65536))}
        if rng.random() < 0.4:
            options["max_producers"] = rng.choice((1, 2, 5, 20))
        self.idle = rng.choice((1, 59, 60, 61, 1000, 60000))
        self.aging = rng.random() < 0.6
        if self.aging:
            options["idle_ms"] = self.idle
        self.case = {
            "name": name,
            "why": "drawn at random; the answers are the oracle's",
            "flags": ["random"],
            "sequences": options,
        }
        self.width = options["width"]
        self.pool = rng.choice((1, 3, 10, 50))
        self.marks = {}
        self.now = rng.choice((0, 1, 123456))
        self.start = rng.choice((0, 1, 63, 2**53 - 5, 2**63, 2**64 - 200))

    def number(self, producer):
        rng, width = self.rng, self.width
        mark = self.marks.get(producer, self.start)
        near = rng.choice((mark + 1, mark + 1, mark + 1, mark, mark - 1, mark + 2, mark + rng.randrange(80)))
        edge = mark - width + rng.choice((-1, 0, 1, 2, width // 2))
        far = rng.choice(
            (mark + width + rng.randrange(3), mark | 63, (mark | 63) + 1, rng.getrandbits(64), 0, 2**64 - 1)
        )
        at = rng.random()
        seq = near if at < 0.7 else edge if at < 0.95 else far
        seq = min(max(seq, 0), 2**64 - 1)
        if at < 0.94 or rng.random() < 0.3:
            self.marks[producer] = max(mark, seq)
        return str(seq)

    def time(self):
        rng, idle = self.rng, self.idle
        at = rng.random()
        if at < 0.3:
            self.now += rng.choice((1, idle // 60, idle // 10))
        elif at < 0.34:
            self.now += idle + rng.choice((-1, 0, 1))
        back = rng.choice((0, 0, 0, 0, 0, 1, idle // 30, idle, 3 * idle))
        return {"now": max(0, self.now - back)} if self.aging or at < 0.5 else {}

    def step(self):
        rng = self.rng
        producer = rng.randrange(self.pool)
        id_ = {"int": str(producer)} if producer % 2 else {"list": [{"text": "p"}, {"int": str(producer)}]}
        at = rng.random()
        if at < 0.03:
            return {"call": "forget", "producer": id_}
        if at < 0.06:
            return {"call": "len"}
        if at < 0.1:
            return {"call": "stats", "now": self.now + rng.choice((0, self.idle, self.idle + 1))}
        if at < 0.11:
            id_ = rng.choice(({"text": ""}, {"list": []}))
        step = {"call": rng.choice(("first_seen", "observe", "observe")), "producer": id_, "seq": self.number(producer)}
        if at < 0.12:
            step["seq"] = rng.choice(("-1", str(2**64)))
        if rng.random() < 0.4:
            step["epoch"] = str(rng.choice((0, 0, 0, 0, 0, 0, 1, 1, 2)) if rng.random() < 0.98 else 2**64 - 1)
        return {**step, **self.time()}

    def draw(self):
        sequences, steps = make(self.case), []
        for _ in range(self.count):
            step = self.step()
            try:
                step["returns"] = call(sequences, step)
            except OracleError as error:
                step["error"] = error.code
            steps.append(step)
        return {**self.case, "steps": steps}
