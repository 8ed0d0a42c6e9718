"""Where the vectors lie and the one layout in which their files are written."""

import json
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
SCHEMA = TESTS / "schema"
VECTORS = TESTS / "vectors"
MANIFEST = VECTORS / "manifest.json"

JS_HOSTS = ("node", "wasm-node", "wasm-chromium", "wasm-workerd")
HOSTS = ("rust", "python", *JS_HOSTS)


def load(path):
    def no_twins(pairs):
        record = dict(pairs)
        if len(record) != len(pairs):
            raise ValueError(f"{path}: a key occurs twice in {[key for key, _ in pairs]}")
        return record

    def no_constant(name):
        raise ValueError(f"{path}: `{name}` is no JSON")

    return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=no_twins, parse_constant=no_constant)


def vector_files(root=VECTORS):
    """Every vector file below root, in a fixed order."""
    return sorted(path for path in Path(root).rglob("*.json") if path.name != "manifest.json")


def hosts_of(case):
    """The hosts that run a case."""
    named = case.get("hosts", ["rust", "python", "js"])
    return tuple(host for host in HOSTS if host in named or host in JS_HOSTS and "js" in named)


def _line(value):
    return json.dumps(value, ensure_ascii=True)


def render(document):
    """A file's text: one line for a case, or for each step, or line of text, of one that has these."""
    lines = ["{"]
    for key, value in document.items():
        if key != "cases":
            lines.append(f" {_line(key)}: {_line(value)},")
    lines.append(' "cases": [')
    cases = document["cases"]
    for number, case in enumerate(cases):
        end = "," if number + 1 < len(cases) else ""
        body = next((key for key in ("steps", "lines") if key in case), None)
        if body is None:
            lines.append(f"  {_line(case)}{end}")
            continue
        head = {key: value for key, value in case.items() if key != body}
        for index, (key, value) in enumerate(head.items()):
            lines.append(f"  {'{' if index == 0 else ' '}{_line(key)}: {_line(value)},")
        lines.append(f"   {_line(body)}: [")
        steps = [f"    {_line(step)}" for step in case[body]]
        lines.append(",\n".join(steps) + f"]}}{end}")
    lines.append(" ]")
    lines.append("}")
    return "\n".join(lines) + "\n"


def write(path, document):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(document), encoding="utf-8", newline="\n")
