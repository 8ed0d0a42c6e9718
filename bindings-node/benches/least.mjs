// `node least.mjs`: what a call costs when nothing disturbs it, in nanoseconds: the least of 60 rounds of 100,000 calls with one
// known id of 30 characters, and per id of 100 batches of 1,000 known ids. `calls.mjs` has the medians, beside other tools.

import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const packages = { firstseen: "../dist/index.cjs", "firstseen-wasm": "../../bindings-wasm/dist/node.cjs" };
const CALLS = 100_000;

function least(run) {
  let best = Infinity;
  for (let round = 0; round < 60; round++) {
    const start = process.hrtime.bigint();
    run();
    best = Math.min(best, Number(process.hrtime.bigint() - start) / CALLS);
  }
  return best.toFixed(0);
}

const id = Buffer.from("evt_0123456789_0123456789_abcd").toString("latin1");
const texts = Array.from({ length: 1_000 }, (_, number) => Buffer.from(`${id.slice(0, 26)}${1_000 + number}`).toString("latin1"));
const words = BigUint64Array.from(texts, (_, number) => BigInt(number) * 977n);
const bytes = Buffer.from(texts.join(""), "latin1");
const offsets = Int32Array.from({ length: texts.length + 1 }, (_, number) => 30 * number);

console.log("ns | time given | default clock | `firstSeenMany` | `firstSeenU64` | `firstSeenPacked`\n---|---:|---:|---:|---:|---:");
for (const [name, path] of Object.entries(packages)) {
  const { Window } = require(path);
  const told = Window.exact({ windowMs: 600_000 });
  const clocked = Window.exact({ windowMs: 600_000 });
  const given = least(() => {
    for (let i = 0; i < CALLS; i++) told.firstSeen(id, 1_700_000_000_123);
  });
  const read = least(() => {
    for (let i = 0; i < CALLS; i++) clocked.firstSeen(id);
  });
  const batch = Window.exact({ windowMs: 600_000 });
  const whole = [
    () => batch.firstSeenMany(texts, 1_000),
    () => batch.firstSeenU64(words, 1_000),
    () => batch.firstSeenPacked(bytes, offsets, 1_000),
  ].map((call) =>
    least(() => {
      for (let i = 0; i < CALLS / 1_000; i++) call();
    }),
  );
  console.log(`${name} | ${given} | ${read} | ${whole.join(" | ")}`);
}
let sum = 0;
const now = least(() => {
  for (let i = 0; i < CALLS; i++) sum += Date.now();
});
console.log(`Date.now() alone | | ${now}${sum > 0 ? "" : "?"} | | |`);
