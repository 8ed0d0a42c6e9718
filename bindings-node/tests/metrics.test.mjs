import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { Sequences, openMetrics, refused, registerMetrics, window } from "./package.mjs";

const client = createRequire(new URL("../../bindings-js/x.cjs", import.meta.url))("prom-client");

const NAME = 'a\\b "c"\nd\r\u2028é{}';

function windows() {
  const payments = window({ maxIds: 3 });
  for (const id of ["a", "b", "a"]) payments.firstSeen(id, 90_500);
  const sensors = new Sequences({ width: 8 });
  sensors.firstSeen("p", 1);
  sensors.firstSeen("p", 9);
  return { payments, [NAME]: window(), sensors };
}

/** Every sample of a text by its name and labels. */
function samples(text) {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]));
}

test("the text has the figures of stats in base units", () => {
  const { payments } = windows();
  const { memoryBytes } = payments.stats();
  const found = samples(openMetrics({ payments }, 120_000));
  const figure = (name) => found.get(`firstseen_${name}{window="payments"}`);
  assert.deepEqual(
    [figure("checked_total"), figure("duplicate_total"), figure("held"), figure("effective_window_seconds"), figure("memory_bytes")],
    [3, 1, 2, 29.5, memoryBytes],
  );
  assert.equal(figure("fill_ratio"), 2 / 3);
  assert.equal(figure("estimated_false_drop_ratio"), 2 ** -63);
  assert.equal(found.size, 25);
});

test("a text of many windows is whole", () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${"w".repeat(300)}${index}`, window({ maxIds: index + 1 })]));
  const text = openMetrics(many);
  assert.ok(text.endsWith("\n# EOF\n") && text.length > 1_000_000);
  // All but the age of the oldest id: there is none.
  assert.equal(samples(text).size, 300 * 24);
  assert.equal(samples(text).get(`firstseen_max_ids{window="${"w".repeat(300)}299"}`), 300);
  assert.equal(openMetrics({}), "# EOF\n");
});

test("what is no object of windows is refused", () => {
  for (const wrong of [undefined, null, 5, "a", [], [window()], window(), new Sequences({ width: 1 }), { a: 1 }, { a: null }, { a: window().stats() }]) {
    refused("invalid_config", () => openMetrics(wrong));
    refused("invalid_config", () => registerMetrics(client, wrong, { registry: new client.Registry() }));
  }
  refused("invalid_config", () => openMetrics({ "": window() }));
  refused("invalid_config", () => openMetrics({ "\ud800": window() }));
  refused("invalid_config", () => registerMetrics(client, {}, { registers: [] }));
  refused("invalid_time", () => openMetrics({ a: window() }, -1));
  const freed = window();
  freed.free();
  refused("closed", () => openMetrics({ freed }));
});

test("a clock that throws or frees leaves nothing behind", () => {
  let clock = () => {
    throw new RangeError("no time");
  };
  const bad = window({ clock: () => clock() });
  assert.throws(() => openMetrics({ good: window(), bad }), RangeError);
  clock = () => (bad.free(), 5);
  refused("closed", () => openMetrics({ good: window(), bad }));
  assert.equal(openMetrics({}), "# EOF\n");
});

for (const type of [client.Registry.PROMETHEUS_CONTENT_TYPE, client.Registry.OPENMETRICS_CONTENT_TYPE]) {
  test(`prom-client exposes what the text says, as ${type}`, async () => {
    const registry = new client.Registry(type);
    const given = windows();
    registerMetrics(client, given, { registry });
    const text = await registry.metrics();
    const plain = (found) => new Map([...found].map(([name, value]) => [name, value]).sort());
    assert.deepEqual(plain(samples(text)), plain(samples(openMetrics(given))));
    const described = (text) => text.split("\n").filter((line) => /^# (TYPE|HELP)/.test(line)).sort();
    const asOurs = (line) => line.replace(/^(# \w+ \S+)_total /, "$1 ");
    assert.deepEqual(described(text).map(asOurs).sort(), described(openMetrics(given)));
  });
}

test("prom-client reads the windows at each scrape", async () => {
  const registry = new client.Registry();
  const given = {};
  registerMetrics(client, given, { registry });
  const held = async () => (await registry.getSingleMetric("firstseen_held").get()).values.map(({ labels, value }) => [labels.window, value]);
  assert.deepEqual(await held(), []);
  given.late = window();
  given.late.firstSeen("a");
  assert.deepEqual(await held(), [["late", 1]]);
  given.late.firstSeen("b");
  assert.deepEqual(await held(), [["late", 2]]);
  await registry.metrics();
  assert.equal((await registry.metrics()).match(/firstseen_first_total\{window="late"\} (\d+)/)[1], "2");
  given.late.free();
  await assert.rejects(registry.metrics(), { code: "closed" });
  delete given.late;
  assert.deepEqual(await held(), []);
});

test("a name that is taken leaves the registry as it was", async () => {
  const registry = new client.Registry();
  new client.Gauge({ name: "firstseen_held", help: "another's", registers: [registry] });
  assert.throws(() => registerMetrics(client, windows(), { registry }), /already been registered/);
  assert.equal(registry.getMetricsAsArray().length, 1);
});

test("without a registry it is prom-client's own", () => {
  client.register.clear();
  registerMetrics(client, windows());
  assert.ok(client.register.getSingleMetric("firstseen_checked_total"));
  client.register.clear();
});
