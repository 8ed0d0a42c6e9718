// Payloads as ids: what the shared vectors cannot say.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FirstSeenError, fingerprint, fingerprintJson, refused, window } from "./package.mjs";

const thrown = (call) => {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
};

test("a payload is the text of its canonical form", () => {
  assert.deepEqual(fingerprintJson('{"b": 1.0, "a": [true]}'), fingerprint('{"a":[true],"b":1}'));
});

test("equal readings are told apart by what stands beside them", () => {
  const readings = window();
  const body = fingerprintJson('{"celsius": 21.5}');
  assert.deepEqual([1, 2, 2].map((minute) => readings.firstSeen([body, minute], 0)), [true, true, false]);
});

test("a message names the byte and not the content", () => {
  const { code, message } = thrown(() => fingerprintJson('{"card": "4111 1111", "card": 1}'));
  assert.equal(code, "invalid_json");
  assert.match(message, /a second member of the same name at byte 22/);
  assert.doesNotMatch(message, /card|4111/);
});

test("what is no list of pointers is refused by its name", () => {
  assert.match(thrown(() => fingerprintJson("{}", { ignore: ["sent_at"] })).message, /`ignore` is `sent_at`/);
  refused("invalid_config", () => fingerprintJson("{}", { ignore: "/a" }));
  refused("invalid_config", () => fingerprintJson("{}", { only: null }));
  refused("invalid_config", () => fingerprintJson("{}", { ignroe: ["/a"] }));
});

test("the text is judged first, and the secret last", () => {
  refused("invalid_json", () => fingerprintJson("{", { ignroe: [] }));
  refused("empty_id", () => fingerprintJson("{}", { only: ["/a"], secret: new Uint8Array(5) }));
  refused("invalid_config", () => fingerprintJson("{}", { secret: new Uint8Array(5) }));
});

test("bytes may lie anywhere", () => {
  const wanted = fingerprintJson('{"a":1}');
  const bytes = new TextEncoder().encode('xx{"a": 1}');
  assert.deepEqual(fingerprintJson(bytes.subarray(2)), wanted);
  assert.deepEqual(fingerprintJson(Buffer.from('{"a": 1}')), wanted);
  assert.deepEqual(fingerprintJson(bytes.slice(2).buffer), wanted);
});

test("a large payload is read, and what follows it", () => {
  const names = Array.from({ length: 50_000 }, (_, index) => index.toString(36));
  const members = (list) => `{${list.map((name) => `"${name}":"é"`).join()}}`;
  assert.deepEqual(fingerprintJson(members([...names].reverse())), fingerprint(members([...names].sort())));
  assert.deepEqual(fingerprintJson("[ ]"), fingerprint("[]"));
  assert.ok(thrown(() => fingerprintJson(`[${members(names)}`)) instanceof FirstSeenError);
});

test("what a getter or an iterator throws reaches the caller", () => {
  const list = ["/a"];
  list[Symbol.iterator] = () => {
    throw new RangeError("mine");
  };
  assert.throws(() => fingerprintJson("{}", { ignore: list }), RangeError);
});
