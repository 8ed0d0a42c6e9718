"""Judges the vectors as data: `python tests/suite/lint.py`, with `--update` to rewrite layout, counts and manifest."""

import json
import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from jsonschema import Draft202012Validator  # noqa: E402
from jsonschema.exceptions import best_match  # noqa: E402
from prometheus_client.openmetrics.parser import text_string_to_metric_families  # noqa: E402
from referencing import Registry, Resource  # noqa: E402

from suite.files import HOSTS, MANIFEST, SCHEMA, VECTORS, hosts_of, load, render, vector_files  # noqa: E402

# What this stage must have a case for.
CODES = {
    "empty_id",
    "invalid_id",
    "invalid_text",
    "invalid_json",
    "invalid_time",
    "clock_step",
    "invalid_config",
    "full",
    "lease_lost",
    "unsupported",
}
STAGES = {"1-id", "2-fingerprint", "3-time", "4-memory", "5-verdict", "7-errors"}
FAULTS = {1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 15, 16, 17, 18, 20, 21, 22, 23, 27, 28, 31, 37, 39}
ONLY_PYTHON, ONLY_JS = {"uuid"}, {"number"}
DYNAMIC = {"utf16", "null", "bool", "object"}  # what Rust's types cannot express
PROPER = {"Python", "Node"}


def validators():
    schemas = {path.name: load(path) for path in SCHEMA.glob("*.json")}
    registry = Registry().with_resources((name, Resource.from_contents(schema)) for name, schema in schemas.items())
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    return {name[:-5]: Draft202012Validator(schema, registry=registry) for name, schema in schemas.items()}


def open_objects(schema, path):
    """Every object schema that would let an unknown key pass."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
            yield path
        for key, value in schema.items():
            yield from open_objects(value, f"{path}/{key}")
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from open_objects(value, f"{path}/{index}")


def errors_in(case):
    return {part["error"] for part in [case, *case.get("steps", [])] if "error" in part}


def tags_in(value):
    """The tags of all tagged values in a case."""
    if isinstance(value, dict):
        if len(value) == 1:
            yield from value
        for part in value.values():
            yield from tags_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from tags_in(part)


def survives_seconds(literal):
    """A fraction of a ms given in seconds must come to the same ms."""
    ms = float(literal)
    if ms != ms or ms in (float("inf"), float("-inf")):
        return True
    return (ms < 0) == (ms / 1000 < 0) and int(ms + 0.5) == int(ms / 1000 * 1000 + 0.5)


def judge_case(kind, case):
    name = case["name"]
    word = name.split()[0]
    if not re.fullmatch(r"\S.*[^\s.:]", name) or word[0].isupper() and word[1:].islower() and word not in PROPER:
        yield "the name is no plain statement in lower case"
    hosts = set(hosts_of(case))
    tags = set(tags_in(case))
    if tags & ONLY_PYTHON and hosts != {"python"} or tags & ONLY_JS and hosts & {"rust", "python"}:
        yield "uses a value that only some hosts have; say so in `hosts`"
    if tags & DYNAMIC and "rust" in hosts:
        yield "uses a value that Rust's types refuse; say so in `hosts`"
    for literal in re.findall(r'"float": "([^"]+)"', json.dumps(case)):
        if not survives_seconds(literal):
            yield f"the fraction {literal} is not the same in seconds"
    if kind == "metrics":
        if list(case["windows"]) != sorted(case["windows"]):
            yield "the windows are not in the order of their names"
        text = "\n".join([*case.get("lines", ["# EOF"]), ""]).replace("} *\n", "} 0\n")
        try:
            families = list(text_string_to_metric_families(text))
        except ValueError as error:
            families = []
            yield f"prometheus_client does not read the text: {error}"
        if not all(family.documentation for family in families):
            yield "a metric has no help"
    if kind in ("scenario", "sequences"):
        steps = case.get("steps", [])
        if ("clock" in case) != ("clocked" in case["flags"]):
            yield "has a clock and not the flag `clocked`, or the other way round"
        if "clock" not in case and any(step["call"] == "set_clock" for step in steps):
            yield "sets a clock that it does not have"
        if not any({"returns", "error", "at_most"} & set(step) for step in steps) and "error" not in case:
            yield "asserts nothing"


def judge_file(path, document, validator):
    error = best_match(validator.iter_errors(document))
    if error is not None:
        yield f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"
        return
    if path.parent != VECTORS / document["stage"]:
        yield f"lies in {path.parent.name} and says that its stage is {document['stage']}"
    if document["count"] != len(document["cases"]):
        yield f"declares {document['count']} cases and has {len(document['cases'])}"
    if len({hosts_of(case) for case in document["cases"]}) > 1:
        yield "mixes cases for different hosts: a restricted case belongs in a file of its own"
    if path.read_text(encoding="utf-8") != render(document):
        yield "is not laid out as `--update` writes it"
    for case in document["cases"]:
        for wrong in judge_case(document["kind"], case):
            yield f"{case['name']}: {wrong}"


def manifest_of(documents):
    hosts = Counter(host for document in documents.values() for case in document["cases"] for host in hosts_of(case))
    files = {path.relative_to(VECTORS).as_posix(): document["count"] for path, document in documents.items()}
    return {"hosts": {host: hosts[host] for host in HOSTS}, "files": files}


def judge():
    wrong, documents, valid = [], {}, validators()
    for name, validator in valid.items():
        if name != "manifest":
            wrong += [f"schema/{name}.json: {path} is open" for path in open_objects(validator.schema, "")]
    for path in VECTORS.rglob("*"):
        if path.is_file() and path.suffix != ".json":
            wrong.append(f"{path.relative_to(VECTORS)}: no vector file")
    for path in vector_files():
        short = path.relative_to(VECTORS).as_posix()
        try:
            document = load(path)
            validator = valid[document["kind"]]
        except (ValueError, KeyError, TypeError) as error:
            wrong.append(f"{short}: malformed: {error!r}")
            continue
        found = list(judge_file(path, document, validator))
        wrong += [f"{short}: {each}" for each in found]
        if not found:
            documents[path] = document
    cases = [case for document in documents.values() for case in document["cases"]]
    names = Counter(case["name"] for case in cases)
    wrong += [f"the name `{name}` occurs {times} times" for name, times in names.items() if times > 1]
    codes = set().union(*map(errors_in, cases)) if cases else set()
    wrong += [f"no case has the error {code}" for code in sorted(CODES - codes)]
    stages = {document["stage"] for document in documents.values()}
    wrong += [f"no file for the stage {stage}" for stage in sorted(STAGES - stages)]
    flags = {flag for case in cases for flag in case.get("flags", [])}
    wrong += [f"no case for fault {fault}" for fault in sorted(FAULTS) if f"fault-{fault}" not in flags]

    try:
        manifest = load(MANIFEST)
    except (OSError, ValueError) as error:
        return [*wrong, f"manifest.json: missing or malformed: {error}"], sum(names.values())
    error = best_match(valid["manifest"].iter_errors(manifest))
    if error is not None:
        wrong.append(f"manifest.json: {error.message[:300]}")
    elif manifest != manifest_of(documents):
        wrong.append("manifest.json: is not what the files hold; a file is missing, extra or of another count")
    return wrong, sum(names.values())


def update():
    documents = {}
    for path in vector_files():
        document = load(path)
        document["count"] = len(document["cases"])
        path.write_text(render(document), encoding="utf-8", newline="\n")
        documents[path] = document
    MANIFEST.write_text(json.dumps(manifest_of(documents), indent=1) + "\n", encoding="utf-8", newline="\n")


def main(arguments):
    if arguments not in ([], ["--update"]):
        print(__doc__)
        return 2
    if arguments:
        update()
    wrong, cases = judge()
    for each in wrong:
        print(each)
    print(f"{cases} cases, {len(wrong)} wrong")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
