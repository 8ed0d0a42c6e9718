"""A consumer in Python: reads deliveries, one JSON text per line, and says of each whether it is to be processed.

python consumer.py FILE WINDOW_MS BUCKET_MS
"""

import json
import sys
from datetime import timedelta

from firstseen import Window


def main(path: str, window_ms: str, bucket_ms: str) -> None:
    window = Window.exact(
        timedelta(milliseconds=int(window_ms)),
        bucket=timedelta(milliseconds=int(bucket_ms)),
    )
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            delivery = json.loads(line)
            verdict = window.observe(delivery["id"], now=timedelta(milliseconds=delivery["now"]))
            print(json.dumps({"n": delivery["n"], "kind": verdict.kind}))
    stats = window.stats()
    print(json.dumps({"checked": stats.checked, "effective_window_ms": stats.effective_window_ms}))


if __name__ == "__main__":
    main(*sys.argv[1:])
