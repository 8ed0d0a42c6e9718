// `node least.mjs`: what a call costs when nothing disturbs it, in nanoseconds: the least of 60 rounds of 100,000 calls with one
// known id of 30 characters. `calls.mjs` has the medians, beside other tools.

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
console.log("ns | time given | default clock\n---|---:|---:");
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
  console.log(`${name} | ${given} | ${read}`);
}
let sum = 0;
const now = least(() => {
  for (let i = 0; i < CALLS; i++) sum += Date.now();
});
console.log(`Date.now() alone | ${now} | ${sum > 0 ? "" : "?"}`);
