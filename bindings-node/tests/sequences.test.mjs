import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { Sequences, refused } from "./package.mjs";

const sequences = (options) => new Sequences({ width: 64, ...options });

test("the class carries its name, and is called with new", () => {
  assert.equal(Sequences.name, "Sequences");
  assert.match(inspect(sequences()), /^Sequences /);
  assert.throws(() => Sequences({ width: 64 }), TypeError);
});

test("options of sequences that are misspelt, of a wrong type or missing are refused", () => {
  const bad = [
    ["invalid_config", undefined],
    ["invalid_config", {}],
    ["invalid_config", { width: 64, widht: 64 }],
    ["invalid_config", { width: 64, idle: 5 }],
    ["invalid_config", { width: null }],
    ["invalid_config", { width: "64" }],
    ["invalid_config", { width: 64n }],
    ["invalid_config", { width: NaN }],
    ["invalid_config", { width: 1.5 }],
    ["invalid_config", { width: -1 }],
    ["invalid_config", { width: 65_537 }],
    ["invalid_config", { width: 64, maxProducers: 0 }],
    ["invalid_config", { width: 64, maxProducers: NaN }],
    ["invalid_config", { width: 64, maxProducers: null }],
    ["invalid_config", { width: 64, idleMs: 0 }],
    ["invalid_time", { width: 64, idleMs: null }],
    ["invalid_time", { width: 64, idleMs: NaN }],
    ["invalid_time", { width: 64, idleMs: "5" }],
  ];
  for (const [code, options] of bad) refused(code, () => new Sequences(options));
  assert.throws(() => sequences({ maxProducers: 0 }), { message: "`maxProducers` is `0`; accepted: 1 to 2^53-1 producers" });
  assert.equal(sequences({ maxProducers: undefined, idleMs: undefined }).size, 0);
});

test("a number is a safe integer or a bigint of 64 bits", () => {
  const some = sequences();
  for (const bad of [undefined, null, "1", true, 1.5, NaN, Infinity, -1, 2 ** 53, -1n, 2n ** 64n, {}, [1]]) {
    refused("invalid_id", () => some.firstSeen("p", bad));
    refused("invalid_id", () => some.observe("p", bad));
    if (bad !== undefined) refused("invalid_id", () => some.firstSeen("p", 1, { epoch: bad }));
  }
  assert.throws(() => some.firstSeen("p", -1), { message: /^`seq` is `a negative integer`; accepted: an integer from 0 to 2\^64-1/ });
  assert.equal(some.size, 0);
  assert.equal(some.firstSeen("p", 7), true);
  assert.equal(some.firstSeen("p", 7n), false);
  assert.equal(some.firstSeen("p", -0), true);
});

test("what stands first is judged first", () => {
  const some = sequences();
  refused("empty_id", () => some.firstSeen("", -1, 5));
  refused("invalid_id", () => some.firstSeen(null, 1));
  refused("invalid_id", () => some.firstSeen("p", -1, { epohc: 1 }));
  refused("invalid_config", () => some.firstSeen("p", 1, { epohc: 1 }));
  refused("invalid_config", () => some.firstSeen("p", 1, 5));
  refused("invalid_id", () => some.firstSeen("p", 1, { epoch: null, nowMs: null }));
  refused("invalid_time", () => some.firstSeen("p", 1, { nowMs: null }));
  refused("invalid_text", () => some.firstSeen("\ud800", 1));
  assert.equal(some.stats().checked, 0);
});

test("a gap is a number, or a bigint where a number could not be trusted", () => {
  const some = sequences();
  some.firstSeen("p", 0);
  assert.deepEqual(some.observe("p", 2 ** 53 - 1), { kind: "first", first: true, acknowledge: false, gap: 2 ** 53 - 2 });
  assert.equal(some.observe("p", 2n ** 64n - 1n).gap, 2n ** 64n - 2n ** 53n - 1n);
  const long = "x".repeat(200_000);
  some.firstSeen(long, 0);
  assert.equal(some.observe(long, 2n ** 60n).gap, 2n ** 60n - 1n);
  assert.equal(some.firstSeen(long, 2n ** 62n), true);
  assert.equal(some.observe(long, 0).gap, null);
});

test("verdicts and figures are frozen", () => {
  const some = sequences({ maxProducers: 3, idleMs: 5 });
  const first = some.observe("p", 1, { nowMs: 0 });
  assert.ok(Object.isFrozen(first) && Object.isFrozen(some.observe("p", 1, { nowMs: 0 })) && Object.isFrozen(some.stats()));
  const { memoryBytes, ...stats } = some.stats(10);
  assert.ok(memoryBytes > 0);
  assert.deepEqual(stats, {
    checked: 2, first: 1, duplicate: 1, stale: 0, fenced: 0, gaps: 0, expired: 1, evicted: 0, forgotten: 0,
    clockRegressions: 0, clockResets: 0, held: 0, maxProducers: 3, width: 64, idleMs: 5,
  });
});

test("the default clock serves, and is not mixed with times that are told", () => {
  const some = sequences({ idleMs: 3_600_000 });
  assert.equal(some.firstSeen("p", 1), true);
  assert.equal(some.firstSeen("p", 1), false);
  refused("invalid_time", () => some.firstSeen("p", 2, { nowMs: 5 }));
  const told = sequences({ idleMs: 3_600_000 });
  told.firstSeen("p", 1, { nowMs: 5 });
  refused("invalid_time", () => told.firstSeen("p", 2));
  assert.equal(told.stats().held, 1);
});

test("a getter that calls in does no harm", () => {
  const some = sequences();
  const options = {
    get epoch() {
      some.firstSeen("another producer, of another length", 77);
      return 3;
    },
  };
  assert.equal(some.firstSeen("p", 1, options), true);
  assert.equal(some.observe("p", 2, { epoch: 2 }).kind, "fenced");
  assert.equal(some.size, 2);
  refused("closed", () => some.firstSeen("p", 3, { get epoch() { some.free(); return 3; } }));
});

test("after free everything is closed, and twice is harmless", () => {
  const some = sequences();
  some.firstSeen("p", 1);
  some.free();
  some.free();
  for (const call of [() => some.firstSeen("p", 1), () => some.observe("p", 1), () => some.forget("p"), () => some.size, () => some.stats()]) {
    refused("closed", call);
  }
  assert.equal(sequences().firstSeen("p", 1), true);
});
