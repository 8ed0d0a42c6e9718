import type * as Public from "../firstseen";
import type { Engine } from "./engine";
import { FirstSeenError, invalidConfig, invalidTime } from "./error";
import { named } from "./options";
import type { Tools } from "./sequences";
import { figuresOf } from "./stats";

/** In the order in which they are written. */
const OPTIONS = ["ratePerSecond", "windowMs", "budgetBytes", "falseDropRate"] as const;

/** The first of them must be given. */
const NEEDED = 2;

/** In the order in which the engine leaves them, for each memory. */
const CHOICE = [
  "bytes",
  "fits",
  "falseDropRate",
  "falseDropsPerDay",
  "rememberedMs",
  "fittingWindowMs",
] as const satisfies readonly (keyof Public.PlanChoice)[];

/** By the engine's number. */
const RECOMMENDED = [null, "exact", "cuckoo", "bloom"] as const;

/** Room for the text, which is less than half as long. */
const TEXT = 4096;

/** The function over an engine. */
export function planOver(engine: Engine, { answered, room }: Pick<Tools, "answered" | "room">): typeof Public.plan {
  return function plan(options: unknown): Public.Plan {
    const values = named(options, OPTIONS);
    if (values instanceof FirstSeenError) throw values;
    const place = room(TEXT);
    const view = new DataView(place.buffer, place.byteOffset);
    const given = OPTIONS.map((name, index) => {
      const value = values[name];
      if (value === undefined && index < NEEDED) throw invalidConfig(name, undefined, "a number; it must be given");
      // NaN stands for none behind here.
      if (value !== undefined && (typeof value !== "number" || (index >= NEEDED && Number.isNaN(value)))) {
        throw name === "windowMs" ? invalidTime(name, value) : invalidConfig(name, value, "a number");
      }
      view.setFloat64(8 * index, value ?? NaN, true);
      return [name, value ?? null] as const;
    });
    const length = answered(engine.plan(TEXT));
    const text = new TextDecoder().decode(room(TEXT).slice(0, length));
    const [expectedIds, recommended, ...figures] = engine.answers(2 + 3 * CHOICE.length);
    const choice = (index: number): Public.PlanChoice | null => {
      const its = figures.slice(CHOICE.length * index, CHOICE.length * (index + 1));
      if (Number.isNaN(its[0])) return null;
      return Object.freeze({ ...figuresOf<Public.PlanChoice>(CHOICE, Float64Array.from(its)), fits: its[1] === 1 });
    };
    const end = text.indexOf("\n");
    const planned = {
      ...Object.fromEntries(given),
      expectedIds,
      exact: choice(0),
      cuckoo: choice(1),
      bloom: choice(2),
      recommended: RECOMMENDED[recommended ?? 0],
      reason: text.slice(0, end),
    };
    Object.defineProperty(planned, "toString", { value: () => text.slice(end + 1) });
    return Object.freeze(planned) as unknown as Public.Plan;
  };
}
