import type * as Public from "../firstseen";

export class FirstSeenError extends Error implements Public.FirstSeenError {
  readonly code: Public.ErrorCode;

  constructor(code: Public.ErrorCode, message: string) {
    super(message);
    this.name = "FirstSeenError";
    this.code = code;
  }
}

/** JavaScript's names for what the engine's messages name. */
const NAMES: Readonly<Record<string, string>> = {
  now: "nowMs",
  at: "atMs",
  window: "windowMs",
  bucket: "bucketMs",
  max_ids: "maxIds",
  on_full: "onFull",
  max_step: "maxStepMs",
  max_lateness: "maxLatenessMs",
  lease: "leaseMs",
  expected_ids: "expectedIds",
  false_drop_rate: "falseDropRate",
  detect_conflicts: "detectConflicts",
  max_producers: "maxProducers",
  idle: "idleMs",
  rate: "ratePerSecond",
  budget: "budgetBytes",
};

/** "`name` is `value`; accepted: ..."; the value is the caller's, whatever stands in it. */
const VALUE = /^(`[a-z_]+` is )(`[^]*`)(; accepted: [^]*)$/;

/** The error of the text that an engine gives. */
export function refusal(text: string): FirstSeenError {
  const end = text.indexOf("\n");
  const message = text.slice(end + 1);
  const [, before = message, value = "", behind = ""] = VALUE.exec(message) ?? [];
  return new FirstSeenError(text.slice(0, end) as Public.ErrorCode, renamed(before) + value + renamed(behind));
}

function renamed(message: string): string {
  return message.replace(/`([a-z_]+)`/g, (whole, name: string) => (Object.hasOwn(NAMES, name) ? `\`${NAMES[name]}\`` : whole));
}

/** A value by its kind, and itself where it is short and harmless. Never for ids. */
function shown(value: unknown): string {
  if (value === null || value === undefined || typeof value === "boolean" || typeof value === "number") {
    return String(value);
  }
  return kindOf(value);
}

/** A proxy that was revoked throws at every question, this one included. */
export function isRevoked(value: unknown): boolean {
  try {
    Array.isArray(value);
    return false;
  } catch {
    return true;
  }
}

export function isArray(value: unknown): value is unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : value === undefined ? "undefined" : `a ${typeof value}`;
}

export function invalidTime(name: string, value: unknown): FirstSeenError {
  return new FirstSeenError("invalid_time", `\`${name}\` is \`${shown(value)}\`; accepted: a finite number from 0 to 2^53-1 ms`);
}

export function invalidConfig(name: string, value: unknown, accepted: string): FirstSeenError {
  return new FirstSeenError("invalid_config", `\`${name}\` is \`${shown(value)}\`; accepted: ${accepted}`);
}

/** A seq or an epoch that is none. */
export function invalidNumber(name: string, found: string): FirstSeenError {
  return new FirstSeenError("invalid_id", `\`${name}\` is \`${found}\`; accepted: an integer from 0 to 2^64-1, as a bigint or a safe number`);
}

export function closed(what = "the window is"): FirstSeenError {
  return new FirstSeenError("closed", `${what} closed; accepted: calls before \`free\``);
}

export function outOfMemory(): FirstSeenError {
  return new FirstSeenError("out_of_memory", "an allocation failed; nothing was recorded");
}
