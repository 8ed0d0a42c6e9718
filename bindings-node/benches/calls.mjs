// `node calls.mjs` measures both packages as they are built here, beside what else JavaScript has for the job, and prints a
// Markdown table: nanoseconds per id, the median of ROUNDS rounds in which all take turns.
//
// The Map with a time beside each id never forgets; lru-cache forgets one id at a time, and can be made to forget too early
// only by its `max`. Neither tells late from first, nor what it lost.

import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const fromTools = createRequire(new URL("../../bindings-js/x.cjs", import.meta.url));
const { LRUCache } = fromTools("lru-cache");
const packages = {
  "firstseen": require("../dist/index.cjs"),
  "firstseen-wasm": require("../../bindings-wasm/dist/node.cjs"),
};

const ROUNDS = Number(process.argv[2] ?? 15);
const WINDOW = 600_000;
const KNOWN = 1_000;
const CALLS = 200_000;
const FRESH = 300_000;

/** Flat strings of 30 characters, as they come from a parser; not ropes. */
const id = (kind, number) => Buffer.from(`${kind}_${String(number).padStart(29 - kind.length, "0")}`).toString("latin1");
const list = (kind, length) => Array.from({ length }, (_, number) => id(kind, number));
const known = list("known", KNOWN);

function timed(count, run) {
  const start = process.hrtime.bigint();
  run();
  return Number(process.hrtime.bigint() - start) / count;
}

function repeat(call) {
  return timed(CALLS, () => {
    for (let index = 0; index < CALLS; index++) call(known[index % KNOWN]);
  });
}

/** Each contender: a fresh store, told the known ids. */
const contenders = {};
for (const [name, { Window }] of Object.entries(packages)) {
  const make = () => Window.exact({ windowMs: WINDOW });
  contenders[name] = {
    told() {
      const window = make();
      window.firstSeenMany(known, 1_000);
      return (key) => window.firstSeen(key, 2_000);
    },
    clocked() {
      const window = make();
      window.firstSeenMany(known);
      return (key) => window.firstSeen(key);
    },
    fresh() {
      const window = make();
      return [(key) => window.firstSeen(key, 1_000), () => window.free()];
    },
    batch() {
      const window = make();
      window.firstSeenMany(known, 1_000);
      return () => window.firstSeenMany(known, 2_000);
    },
    freshMany() {
      const window = make();
      return [(ids) => window.firstSeenMany(ids, 1_000), () => window.free()];
    },
    freshU64() {
      const window = make();
      return [(ids) => window.firstSeenU64(ids, 1_000), () => window.free()];
    },
    freshPacked() {
      const window = make();
      return [({ bytes, offsets }) => window.firstSeenPacked(bytes, offsets, 1_000), () => window.free()];
    },
  };
}

const seenInMap = (map) => (key, now) => {
  const at = map.get(key);
  if (at !== undefined && now - at <= WINDOW) return false;
  map.set(key, now);
  return true;
};

contenders["Map with times"] = {
  told() {
    const seen = seenInMap(new Map());
    known.forEach((key) => seen(key, 1_000));
    return (key) => seen(key, 2_000);
  },
  clocked() {
    const seen = seenInMap(new Map());
    known.forEach((key) => seen(key, Date.now()));
    return (key) => seen(key, Date.now());
  },
  fresh() {
    const seen = seenInMap(new Map());
    return [(key) => seen(key, 1_000), () => {}];
  },
};

contenders["lru-cache with ttl"] = {
  clocked() {
    const cache = new LRUCache({ max: KNOWN * 2, ttl: WINDOW });
    known.forEach((key) => cache.set(key, true));
    return (key) => cache.has(key) || cache.set(key, true);
  },
  fresh() {
    const cache = new LRUCache({ max: FRESH, ttl: WINDOW });
    return [(key) => cache.has(key) || cache.set(key, true), () => {}];
  },
};

// Made anew each time: a text that was looked up before carries its hash, which is not what an event brings.
const freshList = () => list("fresh", FRESH);
const words = () => BigUint64Array.from({ length: FRESH }, (_, number) => BigInt(number) * 977n);
const batches = (ids) => Array.from({ length: FRESH / 1_000 }, (_, number) => ids.slice(1_000 * number, 1_000 * (number + 1)));
const packed = (ids) => ({
  bytes: Buffer.from(ids.join(""), "latin1"),
  offsets: Int32Array.from({ length: ids.length + 1 }, (_, number) => 30 * number),
});

/** What an empty store takes for each of FRESH ids, or, `again`, what it takes when they come a second time. */
function once(make, items, again) {
  const [call, end] = make();
  const run = () => items.forEach((item) => call(item));
  if (again) run();
  const took = timed(FRESH, run);
  end();
  return took;
}

const SCENES = {
  "known id, time given": ({ told }) => told && ((call) => () => repeat(call))(told()),
  "known id, default clock": ({ clocked }) => clocked && ((call) => () => repeat(call))(clocked()),
  "300 000 fresh ids": ({ fresh }) => fresh && (() => once(fresh, freshList(), false)),
  "the same once more": ({ fresh }) => fresh && (() => once(fresh, freshList(), true)),
  "300 000 fresh ids in batches of 1 000": ({ freshMany }) => freshMany && (() => once(freshMany, batches(freshList()), false)),
  "the same once more, in batches": ({ freshMany }) => freshMany && (() => once(freshMany, batches(freshList()), true)),
  "300 000 fresh integers by `firstSeenU64`": ({ freshU64 }) => freshU64 && (() => once(freshU64, batches(words()), false)),
  "300 000 fresh ids by `firstSeenPacked`": ({ freshPacked }) =>
    freshPacked && (() => once(freshPacked, batches(freshList()).map(packed), false)),
  "known ids in batches of 1 000": ({ batch }) =>
    batch &&
    ((call) => () =>
      timed(100 * KNOWN, () => {
        for (let index = 0; index < 100; index++) call();
      }))(batch()),
};

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const names = Object.keys(contenders);
console.log(`ns per id | ${names.join(" | ")}`);
console.log(`---|${names.map(() => "---:").join("|")}`);
for (const [scene, prepare] of Object.entries(SCENES)) {
  const runs = names.map((name) => prepare(contenders[name]));
  const took = names.map(() => []);
  for (let round = -3; round < ROUNDS; round++) {
    runs.forEach((run, index) => {
      if (!run) return;
      const ns = run();
      // The first rounds are the compilers'.
      if (round >= 0) took[index].push(ns);
    });
  }
  console.log(`${scene} | ${took.map((values) => (values.length ? median(values).toFixed(0) : "–")).join(" | ")}`);
}
