// What happens when a module's memory may not grow any more: the module is loaded with a maximum put into it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { folder, isWasm } from "./package.mjs";

const MEMORY = 5;

function leb(bytes, at) {
  let [value, shift, byte] = [0, 0, 0];
  do {
    byte = bytes[at++];
    value += (byte & 0x7f) * 2 ** shift;
    shift += 7;
  } while (byte & 0x80);
  return [value, at];
}

const toLeb = (value) => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...toLeb(value >>> 7)]);

/** The module with a memory that can grow by so many pages of 64 KiB only. */
function capped(bytes, pages) {
  for (let at = 8; at < bytes.length; ) {
    const [size, start] = leb(bytes, at + 1);
    if (bytes[at] === MEMORY) {
      assert.deepEqual([...bytes.subarray(start, start + 2)], [1, 0], "one memory without a maximum");
      const [least] = leb(bytes, start + 2);
      const limits = [1, 1, ...toLeb(least), ...toLeb(least + pages)];
      return Buffer.concat([bytes.subarray(0, at + 1), Buffer.from([...toLeb(limits.length), ...limits]), bytes.subarray(start + size)]);
    }
    at = start + size;
  }
  throw new Error("no memory");
}

test("a memory that cannot grow is out_of_memory, and the next call works", { skip: !isWasm }, async () => {
  const require = createRequire(join(folder, "x.cjs"));
  const { FirstSeenError, Window, initSync } = await import(pathToFileURL(require.resolve("firstseen-wasm/worker")));
  initSync({ module: capped(readFileSync(require.resolve("firstseen-wasm/firstseen.wasm")), 16) });
  const outOfMemory = (call) =>
    assert.throws(call, (error) => {
      assert.ok(error instanceof FirstSeenError, error.stack);
      assert.match(`${error.code}: ${error.message}`, /^out_of_memory: an allocation failed/);
      return true;
    });
  const name = (index) => `evt_${index}`;
  for (let round = 0; round < 3; round++) {
    const w = Window.exact({ windowMs: 60_000 });
    let held = 0;
    outOfMemory(() => {
      for (; held < 1_000_000; held++) assert.equal(w.firstSeen(name(held), 1), true);
    });
    assert.ok(held > 10_000, `${held}`);
    assert.equal(w.size, held);
    assert.equal(w.stats().checked, held);
    outOfMemory(() => w.firstSeenMany(Array.from({ length: 100_000 }, (_, index) => `new ${index}`), 1));
    outOfMemory(() => w.observe(new Uint8Array(4 << 20), { nowMs: 1 }));
    assert.equal(w.size, held);
    for (const index of [0, held >> 1, held - 1]) assert.equal(w.check(name(index), 1).kind, "duplicate");
    // What was held makes room again.
    w.advance(600_000);
    assert.equal(w.firstSeen(name(0), 600_000), true);
    const other = Window.exact({ windowMs: 60_000 });
    assert.equal(other.firstSeen(name(0), 1), true);
    other.free();
    w.free();
  }
});
