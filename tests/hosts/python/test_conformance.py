"""The conformance vectors as one test, for `cargo xtask test`."""

import os
from pathlib import Path

import run


def test_every_vector_passes():
    generated = os.environ.get("FIRSTSEEN_GENERATED")
    vectors = Path(__file__).resolve().parents[2] / "vectors"
    passed, failed = run.run(vectors, Path(generated) if generated else None)
    assert passed > 0
    assert failed == 0
