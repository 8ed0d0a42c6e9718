"""Replays every vector on the oracle: `python tests/suite/check.py [FILE_OR_DIRECTORY ...]`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from suite.files import VECTORS, load, vector_files  # noqa: E402
from suite.replay import RUN  # noqa: E402


def main(arguments):
    passed = failed = 0
    for root in map(Path, arguments or [VECTORS]):
        files = [root] if root.is_file() else vector_files(root)
        if not files:
            print(f"{root}: no vectors")
            failed += 1
        for path in files:
            document = load(path)
            for case in document["cases"]:
                wrong = RUN[document["kind"]](case)
                passed += not wrong
                failed += bool(wrong)
                if wrong:
                    print(f"{path.name}: {case['name']}: {wrong}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
