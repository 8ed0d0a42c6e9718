import assert from "node:assert/strict";
import { test } from "node:test";
import { Window, plan, refused } from "./package.mjs";

const load = { ratePerSecond: 1_000, windowMs: 600_000 };

test("options of a plan that are misspelt, of a wrong type or missing are refused", () => {
  const bad = [
    ["invalid_config", undefined],
    ["invalid_config", {}],
    ["invalid_config", { windowMs: 600_000 }],
    ["invalid_config", { ratePerSecond: 1_000 }],
    ["invalid_config", { ...load, rate: 5 }],
    ["invalid_config", { ...load, ratePerSecond: 5n }],
    ["invalid_config", { ...load, ratePerSecond: NaN }],
    ["invalid_time", { ...load, windowMs: NaN }],
    ["invalid_time", { ...load, windowMs: 5n }],
    ["invalid_config", { ...load, budgetBytes: null }],
    ["invalid_config", { ...load, budgetBytes: 1.5 }],
    ["invalid_config", { ...load, budgetBytes: Infinity }],
    ["invalid_config", { ...load, falseDropRate: null }],
    ["invalid_config", { ...load, falseDropRate: NaN }],
  ];
  for (const [code, options] of bad) refused(code, () => plan(options));
  assert.throws(() => plan({ ...load, ratePerSecond: 0 }), /^FirstSeenError: `ratePerSecond` is `0.0`; accepted: /);
  assert.throws(() => plan({ ...load, budgetBytes: 0 }), /^FirstSeenError: `budgetBytes` is `0`; accepted: /);
});

test("what was asked is in the plan, which is frozen", () => {
  const { ratePerSecond, windowMs, budgetBytes, falseDropRate } = plan({ ...load, budgetBytes: 2 ** 20, falseDropRate: undefined });
  assert.deepEqual([ratePerSecond, windowMs, budgetBytes, falseDropRate], [1_000, 600_000, 2 ** 20, null]);
  const planned = plan(load);
  assert.ok(Object.isFrozen(planned) && Object.isFrozen(planned.exact));
  assert.equal(`${planned}`.split("\n")[0], "600000 ids in a window of 600 s");
  assert.equal(JSON.parse(JSON.stringify(planned)).exact.bytes, 11_062_384);
});

test("a window of the plan takes no more", () => {
  const planned = plan({ ratePerSecond: 1_000, windowMs: 60_000 });
  const window = Window.exact({ windowMs: 60_000 });
  for (let id = 0; id < 120_000; id++) window.firstSeen(`${id}`, id);
  assert.ok(window.stats().memoryBytes <= planned.exact.bytes);
  window.free();
});
