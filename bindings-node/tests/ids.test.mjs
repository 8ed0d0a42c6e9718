import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";
import { FirstSeenError, fingerprint, isWasm, refused, window } from "./package.mjs";

const hex = (id, options) => Buffer.from(fingerprint(id, options)).toString("hex");

/** Each call that takes an id. */
const CALLS = {
  firstSeen: (w, id) => w.firstSeen(id, 1),
  firstSeenByClock: (w, id) => w.firstSeen(id),
  observe: (w, id) => w.observe(id, { nowMs: 1 }),
  check: (w, id) => w.check(id, 1),
  has: (w, id) => w.has(id),
  forget: (w, id) => w.forget(id),
  firstSeenMany: (w, id) => w.firstSeenMany(["a", id], 1),
  observeMany: (w, id) => w.observeMany(["a", id], 1),
  checkMany: (w, id) => w.checkMany(["a", id], 1),
  fingerprint: (_, id) => fingerprint(id),
};

function refusedEverywhere(code, id) {
  for (const [name, call] of Object.entries(CALLS)) {
    const w = window();
    refused(code, () => call(w, id));
    assert.equal(w.size, 0, name);
    assert.equal(w.stats().checked, 0, name);
  }
}

test("fault 16: a lone surrogate is refused wherever it stands, and never replaced", () => {
  const lone = ["\ud800", "\udfff", "a\ud800", "\ud83da", "\ude00\ud83d", "x".repeat(40) + "\udc00", "é\ud800", "é".repeat(5000) + "\ud800"];
  for (const text of lone) {
    refusedEverywhere("invalid_text", text);
    refusedEverywhere("invalid_text", ["a", text]);
  }
  const w = window();
  for (const text of ["\ud83d\ude00", "\ufffd", "\u{10ffff}", "\ufffd".repeat(100)]) {
    assert.equal(w.firstSeen(text, 1), true);
    assert.equal(w.firstSeen(Buffer.from(text), 1), false);
  }
});

test("fault 17: integers keep all of their 64 bits, as number and as bigint", () => {
  const w = window();
  const edges = [0n, 1n, 2n ** 31n - 1n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n];
  edges.push(2n ** 63n - 1n, 2n ** 63n, 2n ** 63n + 1n, 2n ** 64n - 2n, 2n ** 64n - 1n);
  for (const edge of edges) {
    assert.equal(w.firstSeen(edge, 1), true, `${edge}`);
    if (edge < 2n ** 53n) assert.equal(w.firstSeen(Number(edge), 1), false, `${edge}`);
    assert.equal(w.firstSeen([edge], 1), true, `[${edge}]`);
    assert.equal(w.firstSeen(String(edge), 1), true, `"${edge}"`);
  }
  assert.equal(w.firstSeen(-0, 1), false);
  const bad = [2n ** 64n, 2n ** 64n + 1n, 2n ** 128n, -1n, -(2n ** 63n), -(2n ** 64n)];
  bad.push(-1, 2 ** 53, 2 ** 63, 2 ** 64, 1.5, NaN, Infinity, -Infinity, Number.MIN_VALUE);
  for (const value of bad) {
    refusedEverywhere("invalid_id", value);
    refusedEverywhere("invalid_id", ["a", value]);
  }
});

test("what is no id is refused; a message never shows it", () => {
  const values = [null, undefined, true, false, {}, new Date(), /x/, Symbol("x"), () => "x", new Map(), new String("x"), []];
  for (const value of values) refusedEverywhere("invalid_id", value);
  for (const value of [null, undefined, {}, true, [], ["b"], new String("x")]) refusedEverywhere("invalid_id", ["a", value]);
  refusedEverywhere("invalid_id", Array(2));
  for (const empty of ["", new Uint8Array(), new ArrayBuffer(0), [""], ["", Buffer.alloc(0)]]) refusedEverywhere("empty_id", empty);
  for (const id of ["SECRET\ud800", ["SECRET", null], ["SECRET", ["SECRET"]]]) {
    assert.throws(() => fingerprint(id), (error) => !error.message.includes("SECRET"));
  }
});

test("a revoked proxy is no id, and a proxy is not asked what it is", () => {
  const revoked = (target) => {
    const { proxy, revoke } = Proxy.revocable(target, {});
    revoke();
    return proxy;
  };
  for (const target of [{}, [], ["a"], () => {}, new Uint8Array(3)]) {
    refusedEverywhere("invalid_id", revoked(target));
    refusedEverywhere("invalid_id", ["a", revoked(target)]);
    refused("invalid_id", () => window().firstSeenMany(revoked(target), 1));
  }
  const w = window();
  const curious = new Proxy({}, { getPrototypeOf: () => (w.firstSeen("asked", 1), null) });
  for (const id of [curious, ["a", curious]]) refused("invalid_id", () => w.firstSeen(id, 1));
  refused("invalid_id", () => w.firstSeenMany(["a", curious], 1));
  assert.equal(w.size, 0);
  refusedEverywhere("invalid_id", new FirstSeenError("full", "x"));
});

test("emptiness is judged in its turn: in a batch before the next id, in a composite last", () => {
  refused("empty_id", () => window().firstSeenMany(["", null], 1));
  refused("invalid_id", () => window().firstSeenMany([null, ""], 1));
  refused("invalid_id", () => window().firstSeen(["", null], 1));
  refused("empty_id", () => window().firstSeen("", null));
  refused("empty_id", () => window().observe("", { nowMs: null }));
  refused("empty_id", () => window().observe("", { nwoMs: 1 }));
});

test("every kind of view is its bytes, and nothing but them", () => {
  const shared = new SharedArrayBuffer(8);
  new Uint8Array(shared).set([0, 0, 0x61, 0x62, 0x63, 0x64, 0, 0]);
  const plain = Uint8Array.from([0, 0, 0x61, 0x62, 0x63, 0x64, 0, 0]).buffer;
  const forms = [Buffer.from("abcd"), plain.slice(2, 6), new Uint8Array(plain, 2, 4), new Uint8ClampedArray(plain, 2, 4), new Int8Array(plain, 2, 4)];
  forms.push(new DataView(plain, 2, 4), new Uint16Array(plain, 2, 2), new Uint8Array(shared, 2, 4), shared.slice(2, 6));
  forms.push(vm.runInNewContext("new Uint8Array([0x61, 0x62, 0x63, 0x64])"), vm.runInNewContext("Uint8Array.of(0x61, 0x62, 0x63, 0x64).buffer"));
  for (const form of forms) {
    assert.equal(hex(form), hex("abcd"));
    assert.equal(hex(["x", form]), hex(["x", "abcd"]));
    refused("invalid_id", () => window().firstSeenMany(form, 1));
  }
});

test("a lying view changes nothing", () => {
  class Liar extends Uint8Array {
    get byteLength() { return 1 << 30; }
    get length() { return 1 << 30; }
    get buffer() { throw new Error("asked"); }
    get [Symbol.toStringTag]() { return "Float64Array"; }
    slice() { throw new Error("asked"); }
  }
  assert.equal(hex(Liar.from([0x61])), hex("a"));
});

test("bytes that are gone are no id, not even an empty part of one", () => {
  const buffer = new ArrayBuffer(8);
  const views = [new Uint8Array(buffer), new Uint8Array(buffer, 8), new DataView(buffer), new Float64Array(buffer)];
  structuredClone(buffer, { transfer: [buffer] });
  for (const gone of [buffer, ...views]) {
    refusedEverywhere("invalid_id", gone);
    refusedEverywhere("invalid_id", ["a", gone]);
  }
});

test("ids of megabytes are taken, and the next call works as ever", () => {
  const w = window();
  const small = "evt_012345678901234567890123456789";
  for (const size of [4095, 4096, 16 * 1024, 64 * 1024, 3 << 20]) {
    for (const letter of ["a", "é", "€", "😀"]) {
      const text = letter.repeat(size / letter.length);
      assert.equal(w.firstSeen(text, 1), true);
      assert.equal(w.firstSeen(Buffer.from(text), 1), false);
      assert.equal(w.observe(text, { nowMs: 1 }).kind, "duplicate");
      assert.deepEqual(w.firstSeenMany([text, [text, 1], small + size + letter], 1), [false, true, true]);
      assert.equal(w.firstSeen(small + size + letter, 1), false);
    }
  }
});

test("the memory's growth between two calls is not noticed", () => {
  const w = window();
  let firsts = 0;
  // The window's own table grows the memory while texts are written into it.
  for (let index = 0; index < 200_000; index++) firsts += w.firstSeen(`evt_${String(index).padStart(26, "0")}`, 1);
  assert.equal(firsts, 200_000);
  for (let index = 0; index < 200_000; index++) firsts -= w.has(`evt_${String(index).padStart(26, "0")}`);
  assert.equal(firsts, 0);
});

test("more than a module's memory can hold is out_of_memory, and the next call works", { skip: !isWasm }, () => {
  const w = window();
  const huge = new Uint8Array(2 ** 31 + 1);
  for (const id of [huge, huge.buffer]) refused("out_of_memory", () => w.firstSeen(id, 1));
  refused("out_of_memory", () => fingerprint(huge));
  assert.equal(w.stats().checked, 0);
  assert.equal(w.firstSeen("a", 1), true);
  assert.equal(w.firstSeen("a", 1), false);
});
