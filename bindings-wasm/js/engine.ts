import { type Engine, OTHERWISE } from "../../bindings-js/facade/index";

/** What the module exports: see `src/lib.rs`. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  input(bytes: number): number;
  input_length(): number;
  release(): void;
  answers(): number;
  error(): number;
  create(length: number, monotonic: number, wall: number): number;
  reading(handle: number, monotonic: number, wall: number): number;
  first_seen(handle: number, length: number, ms: number): number;
  first_seen_by_clock(handle: number, length: number, monotonic: number, wall: number): number;
  observe: Engine["observe"];
  observe_body: Engine["observeBody"];
  claim: Engine["claim"];
  claim_many: Engine["claimMany"];
  commit: Engine["commit"];
  commit_many: Engine["commitMany"];
  release_claim: Engine["releaseClaim"];
  renew: Engine["renew"];
  first_seen_many: Engine["firstSeenMany"];
  observe_many: Engine["observeMany"];
  check: Engine["check"];
  check_many: Engine["checkMany"];
  has: Engine["has"];
  forget: Engine["forget"];
  fingerprint: Engine["fingerprint"];
  fingerprint_json: Engine["fingerprintJson"];
  validate: Engine["validate"];
  advance: Engine["advance"];
  stats: Engine["stats"];
  size: Engine["size"];
  clear: Engine["clear"];
  wants_clock: Engine["wantsClock"];
  free: Engine["free"];
  sequences_create(length: number, monotonic: number, wall: number): number;
  sequences_reading(handle: number, monotonic: number, wall: number): number;
  sequences_observe: Engine["sequencesObserve"];
  sequences_forget: Engine["sequencesForget"];
  sequences_size: Engine["sequencesSize"];
  sequences_stats: Engine["sequencesStats"];
  sequences_free: Engine["sequencesFree"];
  open_metrics: Engine["openMetrics"];
  text: Engine["text"];
  plan: Engine["plan"];
}

const NOT_READY = "firstseen-wasm has no module yet: call `initSync({ module })`, or await `init(source)`, first";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const LONE_SURROGATE = /\p{Surrogate}/u;
const NOTHING = new Uint8Array();

/** Up to this length a loop over the units costs less than the encoder. */
const SHORT = 24;

/** The most that a 32-bit memory could give. */
const MOST = 2 ** 31;

let wasm: Exports | undefined;
/** The module's input. Empty when it has to be looked up: at first, and whenever the memory has grown or the input has moved. */
let view: Uint8Array = NOTHING;

function module(): Exports {
  if (wasm === undefined) throw new Error(NOT_READY);
  return wasm;
}

/** Makes the module the engine's. All that it wants from its host are hooks for values that are no numbers: it has none. */
export function load(compiled: WebAssembly.Module): void {
  const imports: Record<string, Record<string, () => void>> = {};
  for (const { module, name } of WebAssembly.Module.imports(compiled)) {
    (imports[module] ??= {})[name] = () => undefined;
  }
  wasm = new WebAssembly.Instance(compiled, imports).exports as unknown as Exports;
}

export const isLoaded = (): boolean => wasm !== undefined;

function input(bytes: number): Uint8Array | undefined {
  if (bytes <= view.length && view.length > 0) return view;
  if (bytes > MOST) return undefined;
  const { memory, input, input_length } = module();
  const start = input(bytes);
  // What was there may be gone even if there is no more.
  view = NOTHING;
  if (start === 0) return undefined;
  view = new Uint8Array(memory.buffer, start, input_length());
  return view;
}

/** Writes a text into the input and returns its length; -1 if it is for the general way. */
function put(text: string): number {
  const { length } = text;
  // The memory's growth detaches the view, and the encoder would write nothing into it without an error.
  if (view.length === 0 && input(0) === undefined) return -1;
  if (3 * length > view.length) return -1;
  if (length <= SHORT) {
    let all = 0;
    let index = 0;
    // Two at a time, and judged only at the end.
    for (; index + 1 < length; index += 2) {
      const one = text.charCodeAt(index);
      const other = text.charCodeAt(index + 1);
      view[index] = one;
      view[index + 1] = other;
      all |= one | other;
    }
    if (index < length) all |= view[index] = text.charCodeAt(index);
    if (all < 0x80) return length;
  }
  const { written } = encoder.encodeInto(text, view);
  return written !== length && LONE_SURROGATE.test(text) ? -1 : written;
}

/**
 * The wall clock's last reading, and the monotonic clock's with it. While the wall clock stands still so does the other, to the
 * millisecond: most calls read one clock. Both are read by their global names, so that fake timers are obeyed.
 */
let wall = -1;
let monotonic = 0;

function readClocks(): void {
  const now = Date.now();
  if (now === wall) return;
  wall = now;
  monotonic = typeof performance === "undefined" ? now : performance.now();
}

export const wasmEngine: Engine = {
  firstSeen(handle, text, ms) {
    const length = put(text);
    return length < 0 ? OTHERWISE : module().first_seen(handle, length, ms);
  },
  firstSeenByClock(handle, text) {
    readClocks();
    const length = put(text);
    return length < 0 ? OTHERWISE : module().first_seen_by_clock(handle, length, monotonic, wall);
  },
  input,
  answers: (count) => new Float64Array(module().memory.buffer, module().answers(), count),
  release() {
    module().release();
    view = NOTHING;
  },
  error() {
    if (input(0) === undefined) return "out_of_memory\nan allocation failed";
    const length = module().error();
    return decoder.decode(view.subarray(0, length));
  },
  create(length) {
    readClocks();
    return module().create(length, monotonic, wall);
  },
  reading(handle) {
    readClocks();
    return module().reading(handle, monotonic, wall);
  },
  free: (handle) => module().free(handle),
  wantsClock: (handle) => module().wants_clock(handle),
  observeBody: (...rest) => module().observe_body(...rest),
  claim: (...rest) => module().claim(...rest),
  claimMany: (...rest) => module().claim_many(...rest),
  commit: (...rest) => module().commit(...rest),
  commitMany: (...rest) => module().commit_many(...rest),
  releaseClaim: (...rest) => module().release_claim(...rest),
  renew: (...rest) => module().renew(...rest),
  observe: (length, handle, mode, ms, atMs) => module().observe(length, handle, mode, ms, atMs),
  firstSeenMany: (length, handle, mode, ms) => module().first_seen_many(length, handle, mode, ms),
  observeMany: (length, handle, mode, ms) => module().observe_many(length, handle, mode, ms),
  check: (length, handle, mode, ms) => module().check(length, handle, mode, ms),
  checkMany: (length, handle, mode, ms) => module().check_many(length, handle, mode, ms),
  stats: (handle, mode, ms) => module().stats(handle, mode, ms),
  has: (length, handle) => module().has(length, handle),
  forget: (length, handle) => module().forget(length, handle),
  size: (handle) => module().size(handle),
  advance: (handle, mode, ms) => module().advance(handle, mode, ms),
  clear: (handle) => module().clear(handle),
  fingerprint: (length, secret) => module().fingerprint(length, secret),
  fingerprintJson: (length, secret) => module().fingerprint_json(length, secret),
  validate: (length) => module().validate(length),
  sequencesCreate(length) {
    readClocks();
    return module().sequences_create(length, monotonic, wall);
  },
  sequencesReading(handle) {
    readClocks();
    return module().sequences_reading(handle, monotonic, wall);
  },
  sequencesObserve: (length, handle, mode, ms) => module().sequences_observe(length, handle, mode, ms),
  sequencesForget: (length, handle) => module().sequences_forget(length, handle),
  sequencesSize: (handle) => module().sequences_size(handle),
  sequencesStats: (handle, mode, ms) => module().sequences_stats(handle, mode, ms),
  sequencesFree: (handle) => module().sequences_free(handle),
  openMetrics: (length) => module().open_metrics(length),
  text: (length) => module().text(length),
  plan: (length) => module().plan(length),
};
