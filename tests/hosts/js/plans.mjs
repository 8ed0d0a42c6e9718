// A case of `plan`.

import { plainOf } from "./values.mjs";

const NAMES = { rate: "ratePerSecond", window_ms: "windowMs", budget: "budgetBytes", false_drop_rate: "falseDropRate" };

const FIELDS = ["bytes", "falseDropRate", "rememberedMs", "fits", "falseDropsPerDay", "fittingWindowMs"];

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function choice(found) {
  if (found === null) return null;
  if (Object.keys(found).sort().join() !== [...FIELDS].sort().join()) throw new Error(`a choice has ${Object.keys(found).join()}`);
  return Object.fromEntries(FIELDS.map((name) => [snake(name), found[name]]));
}

/** A plan as the vectors write it. */
function record(plan) {
  const text = String(plan).split("\n");
  if (text.at(-1) !== `recommended: ${plan.recommended ?? "none"}; ${plan.reason}`) throw new Error(`the reason is ${plan.reason}`);
  return {
    expected_ids: plan.expectedIds,
    recommended: plan.recommended,
    exact: choice(plan.exact),
    cuckoo: choice(plan.cuckoo),
    bloom: choice(plan.bloom),
    text,
  };
}

/** What is wrong with a case; `outcome` runs a call, and `show` writes a value as text. */
export function planDiffers(api, test, { outcome, show }) {
  const options = Object.entries(test.plan).map(([name, value]) => [NAMES[name], plainOf(value)]);
  const { returns, error } = outcome(api, () => record(api.plan(Object.fromEntries(options))));
  const [got, want] = [show(error ?? returns), show(test.error ?? test.returns)];
  return got === want ? undefined : { step: "plan", got, want };
}
