import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { inspect } from "node:util";
import { FirstSeenError, Window, fingerprint, isWasm, refused, window } from "./package.mjs";

const boom = new Error("boom");
const throwing = () => {
  throw boom;
};
const isBoom = (error) => error === boom;

test("the classes carry their names", () => {
  assert.equal(Window.name, "Window");
  assert.equal(FirstSeenError.name, "FirstSeenError");
  assert.match(inspect(window()), /^Window /);
});

test("there is no public constructor", () => {
  assert.throws(() => new Window(), TypeError);
  assert.throws(() => new Window({ windowMs: 1 }), TypeError);
});

test("options that are misspelt, of a wrong type or missing are refused", () => {
  const bad = [
    ["invalid_config", { windowMs: 1, bukketMs: 1 }],
    ["invalid_config", { windowMs: 1, buckets: 5 }],
    ["invalid_config", { windowMs: 1, window: 1 }],
    ["invalid_config", {}],
    ["invalid_config", { windowMs: undefined }],
    ["invalid_time", { windowMs: null }],
    ["invalid_time", { windowMs: "10" }],
    ["invalid_time", { windowMs: true }],
    ["invalid_time", { windowMs: 10n }],
    ["invalid_time", { windowMs: Infinity }],
    ["invalid_config", { windowMs: 0 }],
    ["invalid_config", { windowMs: 0.4 }],
    ["invalid_time", { windowMs: 1, bucketMs: null }],
    ["invalid_time", { windowMs: 1, maxStepMs: "1" }],
    ["invalid_time", { windowMs: 1, maxLatenessMs: NaN }],
    ["invalid_config", { windowMs: 1, maxIds: null }],
    ["invalid_config", { windowMs: 1, maxIds: 1n }],
    ["invalid_config", { windowMs: 1, maxIds: 2.5 }],
    ["invalid_config", { windowMs: 1, maxIds: NaN }],
    ["invalid_config", { windowMs: 1, maxIds: -1 }],
    ["invalid_config", { windowMs: 1, maxIds: 0 }],
    ["invalid_config", { windowMs: 1, maxIds: 2 ** 53 }],
    ["invalid_config", { windowMs: 1, onFull: "explode", maxIds: 1 }],
    ["invalid_config", { windowMs: 1, onFull: null }],
    ["invalid_config", { windowMs: 1, onFull: "reject" }],
    ["invalid_config", { windowMs: 1, secret: "0123456789abcdef" }],
    ["invalid_config", { windowMs: 1, secret: new Uint8Array(15) }],
    ["invalid_config", { windowMs: 1, secret: new Uint8Array() }],
    ["invalid_config", { windowMs: 1, secret: new Uint16Array(8) }],
    ["invalid_config", { windowMs: 1, secret: null }],
    ["invalid_config", { windowMs: 1, clock: 5 }],
    ["invalid_config", { windowMs: 1, clock: null }],
  ];
  for (const [code, options] of bad) refused(code, () => Window.exact(options));
  for (const options of [undefined, null, 5, "x", [], new Date(), new Map(), () => {}]) refused("invalid_config", () => Window.exact(options));
  refused("invalid_config", () => Window.fromBuckets({ bucketMs: 1 }));
  refused("invalid_config", () => Window.fromBuckets({ bucketMs: 1, buckets: 2, windowMs: 1 }));
  for (const buckets of [1, 251, 2.5, NaN, "60", null]) refused("invalid_config", () => Window.fromBuckets({ bucketMs: 1, buckets }));
  for (const options of [{ nwoMs: 1 }, { at: 1 }, null, 5, new Date()]) refused("invalid_config", () => window().observe("a", options));
  for (const options of [{ sekret: 1 }, null, { secret: new Uint8Array(8) }]) refused("invalid_config", () => fingerprint("a", options));
  assert.doesNotThrow(() => window({ maxIds: undefined, clock: undefined, secret: Buffer.alloc(16) }));
});

test("options by symbols and revoked options are refused", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const options of [{ [Symbol("x")]: 1 }, { [Symbol.iterator]: undefined }, proxy]) {
    refused("invalid_config", () => Window.exact(options));
    refused("invalid_config", () => window().observe("a", options));
    refused("invalid_config", () => fingerprint("a", options));
  }
  refused("invalid_config", () => window({ secret: proxy }));
  for (const value of [proxy, Proxy.revocable(() => 1, {}).proxy]) refused("invalid_time", () => window().firstSeen("a", value));
  const hidden = Object.defineProperty({ nowMs: 1 }, Symbol("a framework's"), { value: 1 });
  assert.equal(window().observe("a", hidden).first, true);
});

test("times are numbers; a null is no forgotten time", () => {
  const w = window({ maxLatenessMs: 10 });
  for (const time of [null, "1", true, 1n, new Date(), {}, NaN, Infinity, -1, -0.2, 2 ** 53]) {
    for (const call of ["firstSeen", "check"]) refused("invalid_time", () => w[call]("a", time));
    for (const call of ["firstSeenMany", "observeMany", "checkMany"]) {
      refused("invalid_time", () => w[call](["a"], time));
      refused("invalid_time", () => w[call]([], time));
    }
    for (const call of ["advance", "stats"]) refused("invalid_time", () => w[call](time));
    refused("invalid_time", () => w.observe("a", { nowMs: time }));
    refused("invalid_time", () => w.observe("a", { nowMs: 1, atMs: time }));
    refused("invalid_time", () => window({ clock: () => time }).firstSeen("a"));
  }
  refused("invalid_time", () => window({ clock: () => undefined }).firstSeen("a"));
  assert.equal(w.stats().checked, 0);
  assert.equal(w.firstSeen("a", -0), true);
});

test("told or clocked, never both", () => {
  const told = window();
  told.firstSeen("a", 1);
  refused("invalid_time", () => told.firstSeen("a"));
  refused("invalid_time", () => told.observe("a", {}));
  const clocked = window();
  clocked.firstSeen("a");
  refused("invalid_time", () => clocked.firstSeen("a", 1));
});

test("verdicts and figures are frozen", () => {
  const w = window({ maxLatenessMs: 0 });
  const verdicts = [w.observe("a", { nowMs: 5_000 }), w.observe("a", { nowMs: 8_000 }), w.observe("b", { nowMs: 8_000, atMs: 7_999 })];
  assert.deepEqual(verdicts.map((each) => ({ ...each })), [
    { kind: "first", first: true, acknowledge: false, ageMs: null, leaseLeftMs: null },
    { kind: "duplicate", first: false, acknowledge: true, ageMs: 3_000, leaseLeftMs: null },
    { kind: "late", first: false, acknowledge: true, ageMs: null, leaseLeftMs: null },
  ]);
  for (const frozen of [...verdicts, w.stats()]) assert.ok(Object.isFrozen(frozen));
  assert.equal(w.stats().fillRatio, null);
});

test("a throwing clock is the caller's error, and nothing is recorded", () => {
  const w = window({ clock: throwing });
  for (const call of ["firstSeen", "observe", "check"]) assert.throws(() => w[call]("a"), isBoom);
  for (const call of ["firstSeenMany", "observeMany", "checkMany"]) assert.throws(() => w[call](["a"]), isBoom);
  for (const call of ["advance", "stats"]) assert.throws(() => w[call](), isBoom);
  refused("empty_id", () => w.firstSeen(""));
  assert.deepEqual(w.firstSeenMany([]), []);
  assert.equal(w.firstSeen("a", 1), true);
  // Told now: the clock is not asked any more.
  assert.equal(w.check("a").kind, "duplicate");
  assert.equal(w.stats().checked, 1);
  refused("invalid_time", () => w.firstSeen("b"));
});

test("a clock may use its own window", () => {
  let inside = () => {};
  const w = window({
    clock() {
      const call = inside;
      inside = () => {};
      call();
      return 1_000;
    },
  });
  const other = "another id, and a longer one, which would overwrite the first if the two shared a place";
  inside = () => assert.equal(w.firstSeen(other), true);
  assert.equal(w.firstSeen("a"), true);
  inside = () => assert.deepEqual(w.firstSeenMany([other, ["x", 7], 8n]), [false, true, true]);
  assert.deepEqual(w.firstSeenMany(["a", "b", ["c", 1]]), [false, true, true]);
  inside = () => w.stats();
  assert.equal(w.observe("big".repeat(100_000)).kind, "first");
  inside = () => assert.equal(w.firstSeen("big".repeat(100_000)), false);
  assert.equal(w.has("c"), false);
  assert.equal(w.firstSeen(["c", 1]), false);
  inside = () => w.free();
  refused("closed", () => w.firstSeen("d"));
});

test("a getter of the options may use the window", () => {
  const w = window();
  const options = {
    get nowMs() {
      w.firstSeen("from the getter", 5);
      return 5;
    },
  };
  assert.equal(w.observe("a", options).kind, "first");
  assert.equal(w.has("a"), true);
  assert.equal(w.size, 2);
});

test("an iterator that throws changes nothing, nor does one that uses the window break anything", () => {
  const w = window();
  function* broken() {
    yield "a";
    throw boom;
  }
  assert.throws(() => w.firstSeenMany(broken(), 1), isBoom);
  assert.equal(w.stats().checked, 0);
  function* busy() {
    yield "a";
    assert.equal(w.firstSeen("in between", 1), true);
    yield ["b", 1];
  }
  assert.deepEqual(w.firstSeenMany(busy(), 1), [true, true]);
  const trap = new Proxy(["c", "d"], { get: (target, name) => (w.firstSeen("by the proxy", 1), Reflect.get(target, name)) });
  assert.equal(w.firstSeen(trap, 1), true);
  assert.equal(w.firstSeen(["c", "d"], 1), false);
});

test("an iterator that reuses one buffer gives different ids", () => {
  function* reusing() {
    const buffer = new Uint8Array(4);
    for (buffer[0] = 1; buffer[0] < 5; buffer[0]++) yield buffer;
  }
  assert.deepEqual(window().firstSeenMany(reusing(), 1), [true, true, true, true]);
});

test("batches are iterables of ids, and nothing else", () => {
  const w = window();
  assert.deepEqual(w.firstSeenMany(new Set(["a", "b"]), 1), [true, true]);
  assert.deepEqual(w.firstSeenMany(["a", "c", "c"], 1), [false, true, false]);
  assert.deepEqual(w.observeMany([], 1), []);
  for (const bad of ["abc", new String("abc"), Buffer.from("a"), new Uint16Array(2), new ArrayBuffer(4), 7, 7n, null, undefined, {}, () => {}]) {
    for (const call of ["firstSeenMany", "observeMany", "checkMany"]) refused("invalid_id", () => w[call](bad, 1));
  }
  refused("invalid_id", () => w.firstSeenMany(["x", "y", null], 1));
  assert.equal(w.has("x"), false);
  const many = Array.from({ length: 100_000 }, (_, index) => `id-${index}`);
  assert.ok(w.firstSeenMany(many, 1).every((first) => first));
  assert.ok(w.checkMany(many, 1).every(({ kind }) => kind === "duplicate"));
});

test("after free every call is closed, and free is harmless", () => {
  const w = window();
  const stays = window();
  stays.firstSeen("a", 1);
  w.free();
  w.free();
  for (const call of ["firstSeen", "observe", "check", "has", "forget"]) {
    refused("closed", () => w[call]("a"));
    refused("closed", () => w[call](null));
  }
  for (const call of ["firstSeenMany", "observeMany", "checkMany"]) {
    refused("closed", () => w[call](["a"]));
    refused("closed", () => w[call]([], 1));
  }
  for (const call of ["advance", "clear", "stats"]) refused("closed", () => w[call]());
  refused("closed", () => w.size);
  refused("closed", () => w.firstSeen("a", 1));
  // The place of the freed one is taken by another; they must not meet.
  const next = window();
  next.firstSeen("b", 1);
  refused("closed", () => w.firstSeen("b", 1));
  assert.equal(stays.firstSeen("a", 1), false);
});

test("windows that are garbage give their memory back", { skip: !globalThis.gc }, async () => {
  const ids = Array.from({ length: 20_000 }, (_, index) => index);
  const before = process.memoryUsage().rss;
  for (let round = 0; round < 400; round++) {
    window().firstSeenMany(ids, 1);
    if (round % 20 === 0) {
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  // All of them together would be some 400 MB.
  assert.ok(process.memoryUsage().rss - before < 150e6, `${process.memoryUsage().rss - before}`);
});

test("fault 39: a fake timer is obeyed by every call of a window that reads it", () => {
  mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
  try {
    // The addon's default clock is the system's own, so there a test gives the clock.
    for (const options of [{ clock: () => Date.now() }, ...(isWasm ? [{}] : [])]) {
      const w = window(options);
      assert.equal(w.firstSeen("a"), true);
      mock.timers.tick(50_000);
      assert.equal(w.firstSeen("a"), false);
      assert.equal(w.check("a").ageMs, 50_000);
      assert.equal(w.stats().oldestAgeMs, 50_000);
      mock.timers.tick(12_000);
      assert.equal(w.check("a").kind, "first");
      w.advance();
      assert.equal(w.size, 0);
      assert.equal(w.firstSeen("a"), true);
    }
  } finally {
    mock.timers.reset();
  }
});

test("a wall clock set forward counts like a suspend, where none counts sleep; one set back changes nothing", () => {
  const start = Date.now();
  mock.timers.enable({ apis: ["Date"], now: start });
  try {
    const w = window({ bucketMs: 1_000 });
    const age = () => w.check("a").ageMs;
    const near = (wanted) => assert.ok(Math.abs(age() - wanted) <= 1_000, `${age()}, not ${wanted}`);
    w.firstSeen("a");
    mock.timers.setTime(start + 50_000);
    near(isWasm ? 50_000 : 0);
    w.firstSeen("b");
    mock.timers.setTime(start - 3_600_000);
    near(isWasm ? 50_000 : 0);
    assert.equal(w.firstSeen("b"), false);
    assert.equal(w.stats().clockRegressions + w.stats().clockResets, 0);
    if (!isWasm) return;
    mock.timers.setTime(start + 7_200_000);
    assert.equal(w.firstSeen("b"), true);
  } finally {
    mock.timers.reset();
  }
});

test("the default clock is Unix time and goes on", async () => {
  const w = Window.exact({ windowMs: 50, bucketMs: 5 });
  assert.equal(w.firstSeen("a"), true);
  assert.equal(w.firstSeen("a"), false);
  await new Promise((resolve) => setTimeout(resolve, 80));
  assert.equal(w.firstSeen("a"), true);
  const told = window();
  told.advance(Date.now() - 5_000);
  assert.equal(told.firstSeen("a"), true);
  assert.ok(Math.abs(told.stats().effectiveWindowMs - 5_000) < 500);
});

test("an error is one of this package, with JavaScript's names in it", () => {
  const error = new FirstSeenError("full", "x");
  assert.equal(error.code, "full");
  assert.throws(() => Window.exact({ windowMs: 1, maxIds: 0 }), /`maxIds` is `0`/);
  assert.throws(() => Window.exact({ windowMs: 1, onFull: "reject" }), /`onFull`.*`maxIds`/);
  // What the caller gave is shown as it is.
  for (const value of ["now", "max_ids", "x`; `at", "x`; accepted: `at", "", "\ud83d\ude00", "`now`"]) {
    const start = `\`onFull\` is \`${value}\`; accepted: `;
    assert.throws(() => window({ maxIds: 1, onFull: value }), ({ message }) => message.startsWith(start), value);
  }
  assert.throws(() => window({ maxStepMs: 1 }).firstSeen("a", -1), /`nowMs` is `-1/);
});
