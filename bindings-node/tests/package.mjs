// The package under test: FIRSTSEEN_PACKAGE as it is installed in FIRSTSEEN_FOLDER. `run.mjs` sets both.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";

export const { FIRSTSEEN_PACKAGE: name, FIRSTSEEN_FOLDER: folder } = process.env;
if (!name || !folder) throw new Error("run the tests by `node run.mjs TARBALL...`");

export const isWasm = name === "firstseen-wasm";

export const path = createRequire(join(folder, "x.cjs")).resolve(name);

export const { FirstSeenError, InFlight, Sequences, Window, fingerprint, fingerprintJson, openMetrics, plan, registerMetrics } = createRequire(import.meta.url)(path);

export const window = (options) => Window.exact({ windowMs: 60_000, ...options });

/** That `call` is refused with `code`, in words that are fit to read. */
export function refused(code, call) {
  assert.throws(call, (error) => {
    assert.ok(error instanceof FirstSeenError && error instanceof Error, `no FirstSeenError but ${error?.stack}`);
    assert.equal(error.code, code, error.message);
    assert.equal(error.name, "FirstSeenError");
    assert.match(error.message, /^[`a-z][^\n]*[^.\n]$/);
    assert.doesNotMatch(error.message, /`[a-z]+_(ids|full|step|lateness|producers)`/);
    return true;
  });
}
