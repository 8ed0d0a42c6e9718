// docs/alerts.yml and docs/metrics.md against what there is.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { Sequences, openMetrics, window } from "./package.mjs";

const { parser } = createRequire(new URL("../../bindings-js/x.cjs", import.meta.url))("@prometheus-io/lezer-promql");

const read = (name) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");
const [rules, page] = [read("alerts.yml"), read("metrics.md")];

const text = openMetrics({ payments: window({ maxIds: 1 }), sensors: new Sequences({ width: 1, maxProducers: 1, idleMs: 1 }) });
const families = Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name, type]) => (type === "counter" ? `${name}_total` : name));

/** The names of the metrics in an expression, which must be one of PromQL. */
function metricsOf(expression) {
  const names = [];
  parser.parse(expression).iterate({
    enter({ type, from, to }) {
      assert.ok(!type.isError, `${expression}: no PromQL at ${from}`);
      if (type.name === "Identifier") names.push(expression.slice(from, to));
    },
  });
  return names;
}

test("every alert is PromQL over metrics that exist, and the page tells of it", () => {
  const expressions = Array.from(rules.matchAll(/^ +expr: (.+)$/gm), ([, expression]) => expression);
  const alerts = Array.from(rules.matchAll(/^ +- alert: (\w+)$/gm), ([, name]) => name);
  assert.equal(expressions.length, alerts.length);
  assert.ok(alerts.length > 10);
  for (const expression of expressions) {
    const names = metricsOf(expression);
    assert.ok(names.length > 0, expression);
    for (const name of names) assert.ok(families.includes(name), `${expression}: ${name}`);
  }
  const told = new Set(page.match(/\bFirstseen\w+/g));
  assert.deepEqual([...told].sort(), [...alerts].sort());
});

test("what is no PromQL is found", () => {
  for (const wrong of ["rate(firstseen_held[5m) > 0", "firstseen_held >", "a and", "sum by window (a)"]) assert.throws(() => metricsOf(wrong), /no PromQL/, wrong);
});

test("the page names every metric, and the expressions on it are PromQL", () => {
  const [windows, sequences] = page.split("\n## Sequences\n");
  for (const name of families) {
    const of = name.startsWith("firstseen_sequences_");
    const short = name.replace(of ? "firstseen_sequences_" : "firstseen_", "");
    assert.ok((of ? sequences : windows).includes(`\`${short}\``), name);
  }
  const expressions = page.match(/`(rate|absent)\([^`]*`/g);
  assert.equal(expressions.length, 2);
  for (const expression of expressions) for (const name of metricsOf(expression.slice(1, -1))) assert.ok(families.includes(name), name);
});
