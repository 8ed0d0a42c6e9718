import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { InFlight, Window, refused, window } from "./package.mjs";

const lease = { leaseMs: 30_000 };
const kind = (w, id) => w.check(id).kind;

test("a claim is first, then in flight, then committed", () => {
  const w = window();
  const claim = w.claim("a", lease);
  assert.deepEqual([claim.first, claim.verdict.kind, claim.token], [true, "first", 1]);
  const other = w.claim("a", lease);
  assert.deepEqual([other.first, other.verdict.kind, other.token], [false, "in_flight", null]);
  assert.ok(other.verdict.leaseLeftMs > 0 && other.verdict.leaseLeftMs <= 30_000);
  refused("lease_lost", () => other.commit());
  claim.renew(60_000);
  claim.commit();
  assert.equal(kind(w, "a"), "duplicate");
  refused("lease_lost", () => claim.commit());
  refused("lease_lost", () => claim.release());
  assert.ok(Object.isFrozen(claim));
});

test("disposing releases unless committed", { skip: !Symbol.dispose }, () => {
  const w = window();
  const claim = w.claim("a", lease);
  const other = w.claim("a", lease);
  other[Symbol.dispose]();
  assert.equal(kind(w, "a"), "in_flight");
  claim[Symbol.dispose]();
  claim[Symbol.dispose]();
  assert.equal(kind(w, "a"), "first");
  const again = w.claim("a", lease);
  again.commit();
  again[Symbol.dispose]();
  assert.equal(kind(w, "a"), "duplicate");
  const freed = w.claim("b", lease);
  w.free();
  freed[Symbol.dispose]();
});

test("what is no claim is refused", () => {
  const w = window();
  for (const options of [undefined, {}, { leaseMs: "5" }, { leaseMs: NaN }, { leaseMs: -1 }]) {
    refused("invalid_time", () => w.claim("a", options));
  }
  refused("invalid_config", () => w.claim("a", { leaseMs: 0 }));
  refused("invalid_config", () => w.claim("a", { leaseMs: 5, lease: 5 }));
  refused("invalid_config", () => w.claim("a", 5));
  refused("empty_id", () => w.claim("", { leaseMs: "5" }));
  for (const token of [undefined, null, "1", 1n]) refused("invalid_id", () => w.commit(token));
  for (const token of [0, -1, 0.5, NaN, 2 ** 60]) refused("lease_lost", () => w.release(token));
  refused("invalid_id", () => w.commitMany(5));
  refused("invalid_id", () => w.commitMany(["1"]));
  refused("invalid_time", () => w.renew(1, "5"));
  assert.equal(w.stats().checked, 0);
});

test("claims and tokens come in batches", () => {
  const w = window();
  const claims = w.claimMany(["a", "b", "a", 7, ["t", 1n]], lease);
  assert.deepEqual(
    claims.map((claim) => claim.verdict.kind),
    ["first", "first", "in_flight", "first", "first"],
  );
  const tokens = claims.map((claim) => claim.token ?? 0);
  assert.deepEqual(w.commitMany(tokens), [true, true, false, true, true]);
  assert.deepEqual([w.commitMany([]), w.claimMany([], lease)], [[], []]);
  assert.equal(w.size, 4);
  const many = w.claimMany(Array.from({ length: 5_000 }, (_, i) => i + 100), lease);
  assert.ok(w.commitMany(many.map((claim) => claim.token)).every(Boolean));
  assert.equal(w.stats().pending, 0);
});

test("a clock may free the window in the middle of a claim", () => {
  for (const call of [(w) => w.claim("a", lease), (w) => w.claimMany(["a"], lease), (w) => w.commit(1), (w) => w.commitMany([1])]) {
    const w = window({ clock: () => (w.free(), 1) });
    refused("closed", () => call(w));
  }
});

test("once calls the function once, and again after it failed", async () => {
  const w = window();
  const calls = [];
  const failing = w.once("a", () => (calls.push("failed"), Promise.reject(new Error("boom"))), lease);
  await assert.rejects(failing, /boom/);
  assert.throws(() => w.claim("", lease));
  const done = await w.once("a", (claim) => (calls.push(claim.token), "value"), lease);
  assert.deepEqual([done.first, done.verdict.kind, done.value], [true, "first", "value"]);
  const again = await w.once("a", () => calls.push("never"), lease);
  assert.deepEqual([again.first, again.verdict.kind, again.value], [false, "duplicate", undefined]);
  assert.deepEqual(calls, ["failed", 2]);
  for (const [fn, options] of [[5, lease], [() => 1, undefined], [() => 1, { ...lease, waitMs: -1 }], [() => 1, { ...lease, wait: 1 }]]) {
    await assert.rejects(w.once("b", fn, options), { name: "FirstSeenError" });
  }
  assert.equal(kind(w, "b"), "first");
});

test("in flight, once throws or waits", async () => {
  const w = window();
  const claim = w.claim("a", lease);
  await assert.rejects(
    w.once("a", () => 1, lease),
    (error) => error instanceof InFlight && error.leaseLeftMs > 0 && error.verdict.kind === "in_flight",
  );
  await assert.rejects(w.once("a", () => 1, { ...lease, waitMs: 20 }), InFlight);
  const waiting = w.once("a", () => "done", { ...lease, waitMs: Infinity });
  await sleep(20);
  claim.release();
  assert.equal((await waiting).value, "done");
});

test("once renews the lease while the function runs", async () => {
  const w = window();
  const { value } = await w.once(
    "a",
    async () => {
      const kinds = new Set();
      for (let turn = 0; turn < 15; turn++) {
        await sleep(20);
        kinds.add(kind(w, "a"));
      }
      return [...kinds];
    },
    { leaseMs: 100 },
  );
  assert.deepEqual(value, ["in_flight"]);
  assert.equal(kind(w, "a"), "duplicate");
});

test("an abort releases, before, while waiting and while running", async () => {
  const w = window();
  const reason = new Error("stop");
  await assert.rejects(w.once("a", () => 1, { ...lease, signal: AbortSignal.abort(reason) }), (error) => error === reason);
  const running = new AbortController();
  const work = w.once("a", () => sleep(60_000, undefined, { signal: running.signal }), { ...lease, signal: running.signal });
  await sleep(5);
  assert.equal(kind(w, "a"), "in_flight");
  const waiting = new AbortController();
  const patient = w.once("a", () => 1, { ...lease, waitMs: Infinity, signal: waiting.signal });
  await sleep(5);
  waiting.abort(reason);
  await assert.rejects(patient, (error) => error === reason);
  assert.equal(kind(w, "a"), "in_flight");
  running.abort(reason);
  await assert.rejects(work);
  assert.equal(kind(w, "a"), "first");
});

test("a lease that was lost is told by once", async () => {
  let now = 1_000;
  const w = window({ clock: () => now });
  const lost = w.once("a", () => ((now += 31_000), w.firstSeen("a")), lease);
  await assert.rejects(lost, { code: "lease_lost" });
});

test("filters say what is lost, and conflicts are told", () => {
  for (const make of [Window.bloom, Window.cuckoo]) {
    refused("invalid_config", () => make({ windowMs: 60_000, expectedIds: 100 }));
    refused("invalid_config", () => make({ windowMs: 60_000, falseDropRate: 0.1 }));
    refused("invalid_config", () => make({ windowMs: 60_000, expectedIds: 100, falseDropRate: 0.1, maxIds: 5 }));
    refused("invalid_config", () => make({ windowMs: 60_000, expectedIds: 100, falseDropRate: "0.1" }));
    refused("invalid_config", () => make({ windowMs: 60_000, expectedIds: 100, falseDropRate: NaN }));
    const w = make({ windowMs: 60_000, expectedIds: 1_000, falseDropRate: 0.01 });
    assert.equal(w.firstSeen("a"), true);
    const { kind, acknowledge, ageMs } = w.observe("a");
    assert.deepEqual([kind, acknowledge, ageMs], ["probable_duplicate", true, null]);
    assert.ok(w.stats().estimatedFalseDropRate < 0.01);
    w.free();
  }
  const w = window({ detectConflicts: true });
  const kinds = ["1", new Uint8Array([0x31]), new Uint16Array([0x32])].map((body) => w.observe("a", { body }).kind);
  assert.deepEqual(kinds, ["first", "duplicate", "conflict"]);
  const long = "x".repeat(100_000);
  assert.deepEqual([w.observe("b", { body: long }).kind, w.observe("b", { body: long + "y" }).kind], ["first", "conflict"]);
  refused("invalid_config", () => w.observe("a", { body: 5 }));
  refused("invalid_text", () => w.observe("a", { body: "\ud800" }));
  refused("unsupported", () => window().observe("a", { body: "1" }));
  refused("invalid_config", () => window({ detectConflicts: 1 }));
});
