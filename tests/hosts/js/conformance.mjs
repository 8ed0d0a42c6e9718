// The one runner of the vectors in JavaScript. It knows no host: it runs in Node, pages and workers alike.

import { linesOf } from "./exposed.mjs";
import { sequencesAfter, sequencesDiffer } from "./numbered.mjs";
import { payloadDiffers } from "./payloads.mjs";
import { planDiffers } from "./plans.mjs";
import { batchOf, forms, idOf, ofHex, plainOf } from "./values.mjs";

const STATS = [
  "checked", "first", "duplicate", "conflict", "probableDuplicate", "inFlight", "late", "rejected", "expired", "evicted",
  "forgotten", "leasesExpired", "clockRegressions", "clockResets", "held", "pending", "maxIds", "memoryBytes",
  "windowMs", "bucketMs", "buckets", "effectiveWindowMs", "oldestAgeMs", "fillRatio", "estimatedFalseDropRate",
];

const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

const show = (value) =>
  JSON.stringify(value, (_, inner) =>
    typeof inner === "bigint" ? `${inner}n` : typeof inner === "number" && !Number.isFinite(inner) ? `${inner}` : inner,
  ) ?? String(value);

/** What a call does: its value, or the code of its error. */
function outcome(api, call) {
  try {
    return { returns: call() };
  } catch (error) {
    if (!(error instanceof api.FirstSeenError) || !(error instanceof Error)) {
      return { error: `no FirstSeenError but ${error?.stack ?? error}` };
    }
    if (typeof error.message !== "string" || error.message === "") return { error: "an error without a message" };
    return { error: error.code };
  }
}

const verdictOf = ({ kind, age_ms, lease_left_ms }) => ({
  kind,
  first: kind === "first",
  acknowledge: kind === "duplicate" || kind === "probable_duplicate" || kind === "late",
  ageMs: age_ms ?? null,
  leaseLeftMs: lease_left_ms ?? null,
});

const verdict = (got) =>
  got && { kind: got.kind, first: got.first, acknowledge: got.acknowledge, ageMs: got.ageMs, leaseLeftMs: got.leaseLeftMs };

const WORDS = new Set(["on_full", "false_drop_rate", "detect_conflicts"]);

function makeWindow(api, { window, clock }) {
  const { from, ...rest } = window;
  const options = {};
  for (const [name, value] of Object.entries(rest)) {
    options[camel(name)] = name === "secret" ? ofHex(value) : WORDS.has(name) ? value : plainOf(value);
  }
  const fake = { ms: clock, tokens: {}, last: 0 };
  if (clock !== undefined) options.clock = () => fake.ms;
  const make = {
    exact: () => api.Window.exact(options),
    buckets: () => api.Window.fromBuckets(options),
    bloom: () => api.Window.bloom(options),
    cuckoo: () => api.Window.cuckoo(options),
  }[from];
  if (!make) throw new Error(`no way to make a window from \`${from}\``);
  return { make, fake };
}

function fill(window, { from, count, now, now_step: nowStep }, form) {
  let firsts = 0;
  for (let index = 0; index < count; index++) {
    const id = form.integer(BigInt(from) + BigInt(index));
    const first = now === undefined ? window.firstSeen(id) : window.firstSeen(id, now + index * nowStep);
    firsts += first === true ? 1 : 0;
  }
  return firsts;
}

/** What the calls with whole buffers answer for each id. */
const marked = (mark) => ({ 0: false, 1: true })[mark] ?? mark;

function claimOptions({ lease_ms: leaseMs, now, at }) {
  const options = { leaseMs: plainOf(leaseMs) };
  if (now !== undefined) options.nowMs = plainOf(now);
  if (at !== undefined) options.atMs = plainOf(at);
  return options;
}

/** The verdicts of claims, after a look at their tokens, which get the case's names. */
function named(fake, { as = [] }, claims) {
  for (const { first, verdict, token } of claims) {
    const grows = token === null || token > fake.last;
    if (first !== verdict.first || first !== (token !== null) || !grows) throw new Error(`a claim with the token ${token}`);
    fake.last = token ?? fake.last;
  }
  [as].flat().forEach((name, index) => (fake.tokens[name] = claims[index]?.token ?? 0));
  return claims.map((claim) => verdict(claim.verdict));
}

/** A step's call, and how its value and what is wanted are made comparable. */
function prepared(window, fake, step, form) {
  const now = step.now === undefined ? [] : [plainOf(step.now)];
  const id = step.id === undefined ? undefined : idOf(step.id, form);
  const ids = step.ids === undefined ? undefined : batchOf(step.ids, form);
  const same = (value) => value;
  const all = (one) => (values) => (Array.isArray(values) ? values.map(one) : values);
  switch (step.call) {
    case "first_seen":
      return [() => window.firstSeen(id, ...now), same, same];
    case "first_seen_many": {
      const [call, ...whole] = form.buffers?.(step.ids) ?? [];
      if (call) return [() => window[call](...whole, ...now), (marks) => Array.from(marks, marked), same];
      return [() => window.firstSeenMany(ids, ...now), same, same];
    }
    case "observe": {
      const options = {};
      if (step.now !== undefined) options.nowMs = now[0];
      if (step.at !== undefined) options.atMs = plainOf(step.at);
      if (step.body !== undefined) options.body = idOf(step.body, form);
      const given = Object.keys(options).length === 0 ? [] : [options];
      return [() => window.observe(id, ...given), verdict, verdictOf];
    }
    case "observe_many":
      return [() => window.observeMany(ids, ...now), all(verdict), all(verdictOf)];
    case "check":
      return [() => window.check(id, ...now), verdict, verdictOf];
    case "check_many":
      return [() => window.checkMany(ids, ...now), all(verdict), all(verdictOf)];
    case "claim":
      return [() => window.claim(id, claimOptions(step)), (claim) => named(fake, step, [claim])[0], verdictOf];
    case "claim_many":
      return [() => window.claimMany(ids, claimOptions(step)), (claims) => named(fake, step, claims), all(verdictOf)];
    case "commit":
      return [() => window.commit(fake.tokens[step.token] ?? 0, ...now), same, same];
    case "commit_many":
      return [() => window.commitMany(step.tokens.map((name) => fake.tokens[name] ?? 0), ...now), same, same];
    case "release":
      return [() => window.release(fake.tokens[step.token] ?? 0), same, same];
    case "renew":
      return [() => window.renew(fake.tokens[step.token] ?? 0, plainOf(step.lease_ms), ...now), same, same];
    case "forget":
      return [() => window.forget(id), same, same];
    case "contains":
      return [() => window.has(id), same, same];
    case "len":
      return [() => window.size, same, same];
    case "advance":
      return [() => window.advance(...now), () => undefined, same];
    case "clear":
      return [() => window.clear(), () => undefined, same];
    case "stats":
      return [() => window.stats(...now), same, same];
    case "set_clock":
      return [() => void (fake.ms = plainOf(step.ms)), same, same];
    case "fill":
      return [() => fill(window, step, form), same, same];
    default:
      throw new Error(`no call \`${step.call}\``);
  }
}

/** Only what the step names is compared; the names themselves are, always. */
function statsDiffer(got, { returns = {}, at_most: bounds = {} }) {
  const names = Object.keys(got).sort();
  if (show(names) !== show([...STATS].sort())) return { got: show(names), want: show([...STATS].sort()) };
  for (const [name, want] of Object.entries(returns)) {
    if (!Object.is(got[camel(name)], want)) return { got: show(got), want: show(returns) };
  }
  for (const [name, bound] of Object.entries(bounds)) {
    if (!(got[camel(name)] <= bound)) return { got: show(got), want: `at most ${show(bounds)}` };
  }
  return undefined;
}

function stepDiffers(api, window, fake, step, form) {
  const [call, shape, expected] = prepared(window, fake, step, form);
  const got = outcome(api, call);
  if (got.error !== undefined || step.error !== undefined) {
    if (got.error === step.error) return undefined;
    return { got: got.error ?? show(shape(got.returns)), want: step.error ?? show(step.returns ?? "no error") };
  }
  if (step.call === "stats") return statsDiffer(got.returns, step);
  if (step.returns === undefined) return undefined;
  const [is, wanted] = [show(shape(got.returns)), show(expected(step.returns))];
  return is === wanted ? undefined : { got: is, want: wanted };
}

function scenario(api, test, form) {
  const { make, fake } = makeWindow(api, test);
  const made = outcome(api, make);
  if (made.error !== undefined || test.error !== undefined) {
    return made.error === test.error
      ? undefined
      : { step: "constructor", got: made.error ?? "a window", want: test.error ?? "a window" };
  }
  return stepsDiffer(api, made.returns, fake, test.steps, form);
}

function stepsDiffer(api, window, fake, steps, form) {
  for (const [number, step] of steps.entries()) {
    const wrong = stepDiffers(api, window, fake, step, form);
    if (wrong) return { step: `${number} ${show(step)}`, ...wrong };
  }
  return undefined;
}

function fingerprint(api, test, form) {
  const options = test.secret === undefined ? [] : [{ secret: ofHex(test.secret) }];
  const got = outcome(api, () => {
    const bytes = api.fingerprint(idOf(test.id, form), ...options);
    if (!(bytes instanceof Uint8Array)) throw new Error("a fingerprint that is no Uint8Array");
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  });
  const is = got.error ?? got.returns;
  const want = test.error ?? test.fingerprint;
  return is === want ? undefined : { step: "fingerprint", got: is, want };
}

const sequences = (api, test, form) => sequencesDiffer(api, test, form, { outcome, show });

function metrics(api, test, form) {
  const windows = {};
  for (const [name, each] of Object.entries(test.windows)) {
    if (each.sequences) {
      windows[name] = sequencesAfter(api, each, form, { outcome, show });
      continue;
    }
    const { make, fake } = makeWindow(api, each);
    windows[name] = make();
    const wrong = stepsDiffer(api, windows[name], fake, each.steps, form);
    if (wrong) return wrong;
  }
  const now = test.now === undefined ? [] : [plainOf(test.now)];
  const { returns, error } = outcome(api, () => linesOf(api, windows, ...now));
  const [got, want] = [show(error ?? returns), show(test.error ?? test.lines)];
  return got === want ? undefined : { step: "openMetrics", got, want };
}

const plan = (api, test) => planDiffers(api, test, { outcome, show });

const payload = (api, test, form) => payloadDiffers(api, test, form, { outcome });

const KINDS = { scenario, sequences, fingerprint, fingerprint_json: payload, metrics, plan };

/** Whether a case can be expressed in JavaScript. */
export const isOurs = (test) => test.hosts === undefined || test.hosts.includes("js");

/**
 * Runs the cases of parsed vector files against a package.
 * A case runs in each of the forms that JavaScript has for its ids, and counts once.
 */
export function runSuite(api, files, { host }) {
  const result = { host, ran: 0, passed: 0, failed: [] };
  for (const file of files) {
    if (file.cases.length !== file.count) {
      result.failed.push({ name: file.about, step: "file", got: file.cases.length, want: file.count });
    }
    for (const test of file.cases.filter(isOurs)) {
      result.ran += 1;
      let wrong;
      try {
        if (!Object.hasOwn(KINDS, file.kind)) throw new Error(`no kind of case \`${file.kind}\``);
        for (const form of forms(test)) wrong ??= KINDS[file.kind](api, test, form);
      } catch (error) {
        wrong = { step: "runner", got: String(error?.stack ?? error), want: "a case that can run" };
      }
      if (wrong) result.failed.push({ name: test.name, ...wrong });
      else result.passed += 1;
    }
  }
  return result;
}
