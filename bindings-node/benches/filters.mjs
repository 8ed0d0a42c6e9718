// New ids through a Bloom window and through a rotating pair of the `bloom-filters` package's, of equal rate, in turns.
//
//   npm install bloom-filters@3.0.4 && node bindings-node/benches/filters.mjs PATH_OF_THE_INSTALLED_PACKAGES

import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.argv[2] ?? process.cwd(), "x.cjs"));
const { BloomFilter } = require("bloom-filters");
const { Window } = require("firstseen");

const EACH = 200_000;
const RATE = 0.01;
const CHUNK = 10_000;
const BATCH = 1_000;
const WINDOW_MS = 60_000;

/** Two filters of half the rate, each for a window; the older is replaced when that is over. */
class Pair {
  newer = BloomFilter.create(EACH, RATE / 2);
  older = BloomFilter.create(EACH, RATE / 2);
  window = 0;

  firstSeen(id, now) {
    const window = Math.floor(now / WINDOW_MS);
    if (window !== this.window) {
      this.window = window;
      [this.newer, this.older] = [BloomFilter.create(EACH, RATE / 2), this.newer];
    }
    if (this.newer.has(id) || this.older.has(id)) return false;
    this.newer.add(id);
    return true;
  }
}

const made = () => Window.bloom({ windowMs: WINDOW_MS, expectedIds: EACH, falseDropRate: RATE });
const [single, batch, pair] = [made(), made(), new Pair()];
const timeOf = (number) => Math.floor((number * WINDOW_MS) / EACH);
const count = (firsts) => firsts.reduce((sum, first) => sum + (first ? 1 : 0), 0);
const runs = {
  "Window.bloom firstSeen": (ids, start) => count(ids.map((id, index) => single.firstSeen(id, timeOf(start + index)))),
  "Window.bloom firstSeenMany by 1000": (ids, start) => {
    let firsts = 0;
    for (let at = 0; at < CHUNK; at += BATCH) firsts += count(batch.firstSeenMany(ids.slice(at, at + BATCH), timeOf(start + at)));
    return firsts;
  },
  "a rotating pair of bloom-filters": (ids, start) => count(ids.map((id, index) => pair.firstSeen(id, timeOf(start + index)))),
};
const spent = Object.fromEntries(Object.keys(runs).map((name) => [name, []]));
const lost = Object.fromEntries(Object.keys(runs).map((name) => [name, 0]));
for (let start = 0; start < 3 * EACH; start += CHUNK) {
  const ids = Array.from({ length: CHUNK }, (_, index) => `evt_${start + index}`);
  for (const [name, run] of Object.entries(runs)) {
    const began = process.cpuUsage();
    const firsts = run(ids, start);
    const { user, system } = process.cpuUsage(began);
    if (start < EACH * 1.25) continue;
    spent[name].push(((user + system) * 1000) / CHUNK);
    lost[name] += CHUNK - firsts;
  }
}
const turns = spent["Window.bloom firstSeen"].length;
const bits = (name) => (name.includes("pair") ? (2 * pair.newer.size) / EACH : (single.stats().memoryBytes * 8) / EACH);
const median = (times) => times.sort((one, other) => one - other)[times.length >> 1];
console.log(`${EACH} new ids of 5 to 10 characters in a window, ${RATE * 100} %; the median of ${turns} turns\n`);
console.log("| design | ns per id | bits per expected id | new ids lost |\n|---|---:|---:|---:|");
for (const [name, times] of Object.entries(spent)) {
  const share = ((100 * lost[name]) / (turns * CHUNK)).toFixed(3);
  console.log(`| ${name} | ${median(times).toFixed(0)} | ${bits(name).toFixed(1)} | ${share} % |`);
}
