// Batches that come as whole buffers: the same answers as id by id, and nothing that is guessed at.

import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";
import { Window, refused, window } from "./package.mjs";

const OFFSETS = [Int32Array, Uint32Array, BigInt64Array, BigUint64Array];
const MAX = 2n ** 64n - 1n;
const encoder = new TextEncoder();
const ABC = encoder.encode("abcdef");

const words = (...values) => BigUint64Array.from(values);
const offsetsOf = (kind, places) => kind.from(places.map(kind.name.startsWith("Big") ? BigInt : Number));

function untouched(w) {
  assert.equal(w.stats().checked, 0);
  assert.equal(w.size, 0);
}

/** A view whose buffer is gone. */
function gone(view) {
  structuredClone(view.buffer, { transfer: [view.buffer] });
  return view;
}

/** What it did; how much memory it has for what comes next is its own affair. */
const figures = (w) => ({ ...w.stats(), memoryBytes: 0 });

/** Random numbers below a bound, the same in each run. */
function dice(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("every array of unsigned words is a batch", () => {
  const values = [7n, 0n, MAX, 7n, 2n ** 63n, 0n];
  const shared = new BigUint64Array(new SharedArrayBuffer(64), 8, 6);
  shared.set(values);
  const inside = new BigUint64Array(10);
  inside.set(values, 2);
  class Own extends BigUint64Array {
    get length() { return 1 << 20; }
    get buffer() { throw new Error("asked"); }
  }
  for (const ids of [words(...values), shared, inside.subarray(2, 8), Own.from(values), vm.runInNewContext("BigUint64Array.of(7n, 0n, 2n ** 64n - 1n, 7n, 2n ** 63n, 0n)")]) {
    const w = window();
    const marks = w.firstSeenU64(ids, 1);
    assert.ok(marks instanceof Uint8Array);
    assert.deepEqual([...marks], [1, 1, 1, 0, 1, 0]);
    assert.equal(w.size, 4);
    for (const id of [7, 0n, MAX, 2n ** 63n]) assert.ok(w.has(id));
    assert.equal(w.has("7"), false);
    assert.deepEqual([...w.firstSeenU64(words(), 1)], []);
    assert.deepEqual([...w.firstSeenU64(words(7n, 8n), 1)], [0, 1]);
    assert.deepEqual([...marks], [1, 1, 1, 0, 1, 0], "the answer is the caller's");
  }
});

test("words and packed ids are answered as ids one by one", () => {
  const roll = dice(5);
  for (const options of [{}, { maxIds: 500 }, { secret: encoder.encode("sixteen bytes ok") }]) {
    const [whole, packed, integers, bytes] = [window(options), window(options), window(options), window(options)];
    for (let now = 0; now < 200_000; now += 10_000) {
      const ids = Array.from({ length: 300 }, () => BigInt(roll(1000)) << BigInt(roll(54)));
      const marks = whole.firstSeenU64(words(...ids), now);
      assert.deepEqual(Array.from(marks, Boolean), ids.map((id) => integers.firstSeen(id, now)));
      assert.deepEqual(figures(whole), figures(integers));

      const parts = ids.map((id) => encoder.encode(String(id).repeat(1 + roll(5))));
      const places = [0];
      for (const part of parts) places.push(places.at(-1) + part.length);
      const kind = OFFSETS[roll(OFFSETS.length)];
      const packedMarks = packed.firstSeenPacked(Buffer.concat(parts), offsetsOf(kind, places), now);
      assert.deepEqual(Array.from(packedMarks, Boolean), bytes.firstSeenMany(parts, now));
      assert.deepEqual(figures(packed), figures(bytes));
    }
  }
});

test("what is no array of unsigned words is refused", () => {
  const wrong = [BigInt64Array.of(1n), Float64Array.of(1), Uint32Array.of(1, 2), new Uint8Array(8), new DataView(new ArrayBuffer(8))];
  wrong.push(new ArrayBuffer(8), [1n], [], new Set([1n]), "abc", 5, 5n, null, undefined, {}, new Proxy(words(1n), {}), gone(words(1n)), gone(words()));
  for (const ids of wrong) {
    const w = window();
    refused("invalid_id", () => w.firstSeenU64(ids, 1));
    refused("invalid_id", () => w.firstSeenU64(ids));
    untouched(w);
  }
  assert.throws(() => window().firstSeenU64(BigInt64Array.of(1n)), /BigInt64Array; accepted: a BigUint64Array/);
});

test("packed ids are slices", () => {
  const text = "--aabbbaa--";
  const shared = new Uint8Array(new SharedArrayBuffer(text.length + 3), 3);
  shared.set(encoder.encode(text));
  for (const data of [Buffer.from(text), encoder.encode(text), shared]) {
    for (const kind of OFFSETS) {
      const w = window();
      assert.deepEqual([...w.firstSeenPacked(data, offsetsOf(kind, [2, 4, 7, 9]), 1)], [1, 1, 0]);
      assert.ok(w.has("aa") && w.has(Buffer.from("bbb")));
      assert.equal(w.size, 2);
      assert.deepEqual([...w.firstSeenPacked(data, offsetsOf(kind, [99, 0, 4, 7, 99]).subarray(1, 4), 1)], [1, 0]);
      for (const place of [0, 2, 11]) assert.deepEqual([...w.firstSeenPacked(data, offsetsOf(kind, [place]), 1)], []);
    }
  }
});

test("wrong offsets and wrong bytes are refused before any id is recorded", () => {
  const offsets = [[], [-1], [-1, 2], [0, -1], [7], [0, 7], [0, 3, 2], [0, 6, 2 ** 31 - 1]].map((places) => Int32Array.from(places));
  offsets.push(Uint32Array.of(0, 2 ** 32 - 1), BigInt64Array.of(0n, -1n), BigInt64Array.of(0n, 2n ** 63n - 1n), BigUint64Array.of(0n, MAX));
  offsets.push(BigUint64Array.of(0n, 2n ** 32n), BigInt64Array.of(2n ** 32n, 2n ** 32n + 1n));
  offsets.push(Int16Array.of(0, 3), Float64Array.of(0, 3), new Uint8Array(16), [0, 3], [0n, 3n], new ArrayBuffer(8), null, undefined, "03", gone(Int32Array.of(0)));
  for (const wrong of offsets) {
    const w = window();
    refused("invalid_id", () => w.firstSeenPacked(ABC, wrong, 1));
    untouched(w);
  }
  const right = Int32Array.of(0, 1);
  for (const wrong of ["abc", words(5n), new Int8Array(4), new Uint8ClampedArray(4), [97], ABC.buffer, 5, null, undefined, gone(Uint8Array.of(97)), gone(new Uint8Array())]) {
    const w = window();
    refused("invalid_id", () => w.firstSeenPacked(wrong, right, 1));
    untouched(w);
  }
});

test("an empty slice is an empty id, and the first refusal counts", () => {
  const w = window();
  const packed = (...places) => () => w.firstSeenPacked(ABC, Int32Array.from(places), 1);
  refused("empty_id", packed(0, 2, 2, 3));
  refused("empty_id", packed(0, 0, 9));
  refused("invalid_id", packed(0, 9, 9));
  refused("invalid_id", () => w.firstSeenPacked(null, null, -1));
  untouched(w);
});

test("a buffer's time is told once, and judged after the ids", () => {
  const w = window();
  refused("invalid_id", () => w.firstSeenU64([1n], -1));
  for (const time of [-1, NaN, null, "1"]) {
    refused("invalid_time", () => w.firstSeenU64(words(1n), time));
    refused("invalid_time", () => w.firstSeenU64(words(), time));
    refused("invalid_time", () => w.firstSeenPacked(ABC, Int32Array.of(0, 1), time));
    refused("empty_id", () => w.firstSeenPacked(ABC, Int32Array.of(0, 0), time));
  }
  untouched(w);
  assert.deepEqual([...w.firstSeenU64(words(1n, 2n), 5)], [1, 1]);
  refused("invalid_time", () => w.firstSeenU64(words(3n)));
  assert.deepEqual([...w.firstSeenU64(words(1n), 4)], [0]);

  let readings = 0;
  const clocked = window({ clock: () => ++readings });
  clocked.firstSeenU64(BigUint64Array.from({ length: 100 }, (_, index) => BigInt(index)));
  clocked.firstSeenPacked(ABC, Int32Array.of(0, 1, 2, 3));
  assert.equal(readings, 2);
  clocked.firstSeenU64(words());
  clocked.firstSeenPacked(ABC, Int32Array.of(2));
  assert.equal(readings, 2, "an empty batch reads no clock");
  assert.equal(window().firstSeenU64(words(1n)).length, 1);
});

test("a clock that uses the window does not spoil the buffer", () => {
  let asked = false;
  const w = window({
    clock: () => {
      if (asked) return 1;
      asked = true;
      w.firstSeenMany(["other", "ids", "altogether"]);
      w.firstSeenU64(words(99n));
      return 1;
    },
  });
  assert.deepEqual([...w.firstSeenU64(words(1n, 2n, 99n))], [1, 1, 0]);
  assert.deepEqual([...w.firstSeenPacked(ABC, Int32Array.of(0, 2, 4))], [1, 1]);
  const freeing = window({ clock: () => (freeing.free(), 1) });
  refused("closed", () => freeing.firstSeenU64(words(1n)));
  refused("closed", () => freeing.firstSeenPacked(ABC, Int32Array.of(0, 1)));
});

test("a full window refuses the whole buffer", () => {
  const w = window({ maxIds: 2, onFull: "reject" });
  refused("full", () => w.firstSeenU64(words(1n, 2n, 3n), 1));
  refused("full", () => w.firstSeenPacked(ABC, Int32Array.of(0, 1, 2, 3), 1));
  assert.equal(w.size, 0);
  assert.deepEqual([...w.firstSeenU64(words(1n, 2n, 1n), 1)], [1, 1, 0]);
});

test("large buffers and large batches", () => {
  const w = Window.exact({ windowMs: 1_000 });
  const ids = BigUint64Array.from({ length: 200_000 }, (_, index) => BigInt(index));
  assert.ok(w.firstSeenU64(ids, 1).every((mark) => mark === 1));
  assert.ok(w.firstSeenU64(ids, 1).every((mark) => mark === 0));
  const texts = Array.from(ids, (id) => `evt_${id}`);
  assert.ok(w.firstSeenMany(texts, 1).every((first) => first === true));
  const places = [0];
  for (const text of texts) places.push(places.at(-1) + text.length);
  assert.ok(w.firstSeenPacked(Buffer.from(texts.join("")), Int32Array.from(places), 1).every((mark) => mark === 0));
});

test("a batch of texts of which one is not ASCII is the same ids", () => {
  for (const odd of ["é", "€uro", "😀", "\u0080", "x".repeat(5000)]) {
    for (const at of [0, 1, 1023, 1024, 2999]) {
      const texts = Array.from({ length: 3000 }, (_, index) => `evt_${index}`);
      texts[at] = odd;
      const w = window();
      assert.ok(w.firstSeenMany(texts, 1).every((first) => first === true));
      assert.ok(texts.every((text) => !w.firstSeen(text, 1)));
      assert.equal(w.size, 3000);
    }
  }
  refused("invalid_text", () => window().firstSeenMany(["\ud83d", "\ude00"], 1));
  // What is not ASCII and cut off can come to as many bytes as there are units.
  const w = window();
  assert.deepEqual(w.firstSeenMany(["éa"], 1), [true]);
  assert.deepEqual([w.has("éa"), w.has("é")], [true, false]);
});
