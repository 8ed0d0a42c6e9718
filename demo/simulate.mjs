// A queue that delivers at least once: from a seed, always the same deliveries in the same order, and what is true of each.

import { createRequire } from "node:module";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

export const WINDOW_MS = 10 * MINUTE;
export const BUCKET_MS = 10 * SECOND;

/** 2026-01-01T00:00:00Z */
const START = 1_767_225_600_000;
const MEAN_GAP_MS = 10 * SECOND;

/** What can go wrong on the way, and how often. */
const NETWORK_DELAY_MS = 20 * SECOND; // at most; what was sent later can arrive earlier
const COPIED = 0.05; // the network delivers twice
const UNACKNOWLEDGED = 0.25; // an answer is lost, so the sender tries again …
const BACKOFF_MS = [30 * SECOND, MINUTE, 2 * MINUTE, 4 * MINUTE]; // … after so long, and then gives up
const REBALANCES = 4; // the queue forgets how far it was, and goes back by …
const REPLAYED_MS = 2 * MINUTE;
const BY_HAND = 0.04; // somebody presses "Redeliver", after …
const BY_HAND_MS = [20 * MINUTE, 90 * MINUTE];

/** The payloads that GitHub's users contributed as examples: `{ event, body }`, the body as it is sent. */
export function payloads() {
  const kinds = createRequire(import.meta.url)("@octokit/webhooks-examples");
  return kinds.flatMap(({ name, examples }) => examples.map((example) => ({ event: name, body: JSON.stringify(example) })));
}

/** Mulberry32: a number from 0 to 1 at each call. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** In the form of `X-GitHub-Delivery`. */
function guid(random) {
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/**
 * Deliveries in the order of their arrival: `{ n, id, now, event, body, truth }`. `now` is when the queue sent it, in ms;
 * `truth` is the verdict that any right window of WINDOW_MS must give.
 */
export function simulate(seed, eventCount) {
  const random = randomFrom(seed);
  const between = (low, high) => Math.round(low + random() * (high - low));
  const contents = payloads();
  const arrivals = [];
  const arrive = (event, sent) => arrivals.push({ ...event, now: sent, arrived: sent + between(0, NETWORK_DELAY_MS) });

  /** One attempt after another until an answer comes back. */
  const deliver = (event, start) => {
    let sent = start;
    for (const wait of [...BACKOFF_MS, 0]) {
      arrive(event, sent);
      if (random() < COPIED) arrive(event, sent);
      if (random() >= UNACKNOWLEDGED) return;
      sent += wait;
    }
  };

  const sentFirst = [];
  let time = START;
  for (let index = 0; index < eventCount; index++) {
    time += Math.round(-Math.log(1 - random()) * MEAN_GAP_MS);
    // There are fewer payloads than events: the same content again, under another id, is another event.
    const event = { id: guid(random), ...contents[index % contents.length] };
    sentFirst.push({ event, sent: time });
    deliver(event, time);
    if (random() < BY_HAND) deliver(event, time + between(...BY_HAND_MS));
  }
  for (let count = 0; count < REBALANCES; count++) {
    const at = between(START + REPLAYED_MS, time);
    for (const { event, sent } of sentFirst) {
      if (sent > at - REPLAYED_MS && sent <= at) arrive(event, at);
    }
  }
  arrivals.sort((one, other) => one.arrived - other.arrived);
  return withTruth(arrivals.map(({ id, now, event, body }, n) => ({ n, id, now, event, body })));
}

/**
 * The promise, written down without a window: an id accepted at t is a duplicate while window time is at most t + window,
 * and first again when N buckets have passed. In between either would be right, so the simulator must not ask there.
 */
function withTruth(deliveries) {
  const buckets = Math.ceil(WINDOW_MS / BUCKET_MS) + 1;
  const accepted = new Map();
  let windowTime = 0;
  for (const delivery of deliveries) {
    windowTime = Math.max(windowTime, delivery.now);
    const age = windowTime - (accepted.get(delivery.id) ?? -Infinity);
    if (age > WINDOW_MS && age < buckets * BUCKET_MS) throw new Error(`delivery ${delivery.n} has two right answers`);
    delivery.truth = age <= WINDOW_MS ? "duplicate" : "first";
    if (delivery.truth === "first") accepted.set(delivery.id, windowTime);
  }
  return deliveries;
}

/** What the deliveries are made of, for people. */
export function describe(deliveries) {
  const ids = new Set();
  let late = 0;
  let again = 0;
  let behind = 0;
  let windowTime = 0;
  for (const { id, now, truth } of deliveries) {
    if (ids.has(id) && truth === "first") again++;
    if (now < windowTime) behind++;
    late = Math.max(late, windowTime - now);
    windowTime = Math.max(windowTime, now);
    ids.add(id);
  }
  const effective = Math.min(WINDOW_MS, windowTime - deliveries[0].now);
  return { events: ids.size, deliveries: deliveries.length, again, behind, late, effective };
}
