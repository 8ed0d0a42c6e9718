// From the JSON of a vector to the values that a caller of the packages would give.

/** A text, given by its UTF-16 units. */
const ofUnits = (units) => units.map((unit) => String.fromCharCode(parseInt(unit, 16))).join("");

export const ofHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

function repeated({ hex, bytes }) {
  const unit = ofHex(hex);
  const out = new Uint8Array(bytes);
  for (let index = 0; index < bytes; index++) out[index] = unit[index % unit.length];
  return out;
}

/** The same bytes in another container, which must be the same id: another one each time. */
function otherBytes() {
  let turn = 0;
  const shifted = (bytes, buffer) => {
    new Uint8Array(buffer, 8, bytes.length).set(bytes);
    return buffer;
  };
  const containers = [
    (bytes) => bytes.slice().buffer,
    (bytes) => new DataView(shifted(bytes, new ArrayBuffer(bytes.length + 11)), 8, bytes.length),
    (bytes) => new Int8Array(shifted(bytes, new ArrayBuffer(bytes.length + 8)), 8),
    (bytes) =>
      bytes.length % 2
        ? new Uint8ClampedArray(bytes)
        : new Uint16Array(shifted(bytes, new ArrayBuffer(bytes.length + 8)), 8),
  ];
  // A page that is not isolated from other origins has no such buffers.
  if (typeof SharedArrayBuffer === "function") {
    containers.push((bytes) => new Uint8Array(shifted(bytes, new SharedArrayBuffer(bytes.length + 8)), 8));
  }
  return (bytes) => containers[turn++ % containers.length](bytes);
}

const isSafe = (integer) => integer >= Number.MIN_SAFE_INTEGER && integer <= Number.MAX_SAFE_INTEGER;

/**
 * The forms in which JavaScript writes one and the same id: integers as BigInt and bytes as Uint8Array, or integers as
 * Number where they are safe and bytes in any other container. In a third one, where a case has batches, those that can be
 * are whole buffers.
 */
export function forms({ steps = [] }) {
  const plain = { integer: (value) => value, bytes: (value) => value };
  const other = { integer: (value) => (isSafe(value) ? Number(value) : value), bytes: otherBytes() };
  const batches = steps.some(({ call, ids }) => call === "first_seen_many" && Array.isArray(ids));
  return batches ? [plain, other, { ...plain, buffers: buffers() }] : [plain, other];
}

/** From a batch to the name of the call that takes it as whole buffers, and these; undefined if there is no such. */
function buffers() {
  const kinds = [Int32Array, Uint32Array, BigInt64Array, BigUint64Array];
  let turn = 0;
  return (ids) => {
    if (!Array.isArray(ids)) return undefined;
    const values = ids.map((id) => idOf(id, { integer: (value) => value, bytes: (value) => value }));
    if (values.every((id) => typeof id === "bigint" && BigInt.asUintN(64, id) === id)) return ["firstSeenU64", BigUint64Array.from(values)];
    if (!values.every((id) => id instanceof Uint8Array || (typeof id === "string" && !/\p{Surrogate}/u.test(id)))) return undefined;
    const kind = kinds[turn++ % kinds.length];
    const number = kind.name.startsWith("Big") ? BigInt : Number;
    // Not from the first byte on, nor to the last.
    const parts = [new Uint8Array(5), ...values.map((id) => (typeof id === "string" ? new TextEncoder().encode(id) : id)), new Uint8Array(3)];
    const offsets = [];
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let end = 0;
    for (const part of parts) {
      if (end > 0) offsets.push(number(end));
      bytes.set(part, end);
      end += part.length;
    }
    return ["firstSeenPacked", bytes, kind.from(offsets)];
  };
}

const TAGS = {
  text: (text) => text,
  bytes: (hex, form) => form.bytes(ofHex(hex)),
  int: (digits, form) => form.integer(BigInt(digits)),
  list: (parts, form) => parts.map((part) => idOf(part, form)),
  repeat: (of, form) => form.bytes(repeated(of)),
  utf16: ofUnits,
  number: Number,
  null: () => null,
  bool: (value) => value,
  float: Number,
  object: () => ({}),
};

function onlyEntry(tagged) {
  const entries = Object.entries(tagged);
  if (entries.length !== 1) throw new Error(`not exactly one tag: ${JSON.stringify(tagged)}`);
  return entries[0];
}

export function idOf(tagged, form) {
  const [tag, content] = onlyEntry(tagged);
  if (!Object.hasOwn(TAGS, tag)) throw new Error(`JavaScript has no id tagged \`${tag}\``);
  return TAGS[tag](content, form);
}

export function batchOf(ids, form) {
  return Array.isArray(ids) ? ids.map((id) => idOf(id, form)) : idOf(ids, form);
}

const PLAIN = { float: Number, bool: (value) => value, text: (value) => value, null: () => null };

/** A time or a count: a bare integer, or a tag for what is none. */
export function plainOf(value) {
  if (typeof value === "number") return value;
  const [tag, content] = onlyEntry(value);
  if (!Object.hasOwn(PLAIN, tag)) throw new Error(`no time or count is tagged \`${tag}\``);
  return PLAIN[tag](content);
}
