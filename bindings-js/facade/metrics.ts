import type * as Public from "../firstseen";
import type { Engine } from "./engine";
import { FirstSeenError, invalidConfig, isArray, isRevoked } from "./error";
import { write32 } from "./ids";
import { named } from "./options";
import { SEQUENCE_FIGURES, type Tools } from "./sequences";
import { WINDOW_FIGURES } from "./stats";

type Classes = Pick<typeof Public, "Window" | "Sequences">;
type Metrics = Pick<typeof Public, "openMetrics" | "registerMetrics">;

/** The kinds of records, and the label that tells those of one kind apart. */
const KINDS = [
  { label: "window", prefix: "firstseen_", names: WINDOW_FIGURES },
  { label: "sequences", prefix: "firstseen_sequences_", names: SEQUENCE_FIGURES },
] as const;
const [WINDOW, SEQUENCES] = [0, 1];

interface Entry {
  readonly kind: number;
  readonly name: string;
  readonly figures: readonly number[];
}

interface Family {
  readonly counter: boolean;
  readonly help: string;
  /** Undefined where there is none. */
  readonly value: number | undefined;
}

/** What of prom-client's metrics is used. */
interface Metric {
  reset(): void;
  inc(labels: object, value: number): void;
  set(labels: object, value: number): void;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** The parts of one description and its samples: the core's own text, so no more of the grammar than it uses. */
const FAMILY = /# TYPE (\S+) (\S+)\n(?:# UNIT [^\n]*\n)?# HELP \S+ ([^\n]*)\n(?:\w+\{[^\n]*\} (\S+)\n)?/g;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The functions over an engine. */
export function metricsOver(engine: Engine, { answered, room, done }: Tools, { Window, Sequences }: Classes): Metrics {
  function textOf(entries: readonly Entry[]): string {
    const names = entries.map(({ name }) => encoder.encode(name));
    const bytes = entries.reduce((sum, { figures }, index) => sum + 5 + names[index]!.length + 8 * figures.length, 0);
    const place = room(bytes);
    const view = new DataView(place.buffer, place.byteOffset);
    let at = 0;
    entries.forEach(({ kind, figures }, index) => {
      const name = names[index]!;
      place[at] = kind;
      write32(name.length, place, at + 1);
      place.set(name, at + 5);
      at += 5 + name.length;
      for (const figure of figures) {
        view.setFloat64(at, figure, true);
        at += 8;
      }
    });
    const length = done(bytes, engine.openMetrics(bytes));
    const text = room(length);
    answered(engine.text(length));
    return decoder.decode(text.subarray(0, done(length, length)));
  }

  function entriesOf(windows: unknown, nowMs: unknown): Entry[] {
    const isRecord = typeof windows === "object" && windows !== null && !isRevoked(windows) && !isArray(windows);
    if (!isRecord || kindOfRecord(windows) !== undefined) {
      throw invalidConfig("windows", windows, "an object of windows and sequences by their names");
    }
    return Object.entries(windows).map(([name, window]) => {
      if (name === "") throw invalidConfig("names", "", "texts that are not empty and have no lone surrogate");
      if (LONE_SURROGATE.test(name)) throw invalidConfig("names", name, "texts that are not empty and have no lone surrogate");
      const kind = kindOfRecord(window);
      if (kind === undefined) throw invalidConfig("windows", window, "an object of windows and sequences by their names");
      const stats = (window as Public.Window).stats(nowMs as number) as unknown as Record<string, number | null>;
      return { kind, name, figures: KINDS[kind]!.names.map((figure) => stats[figure] ?? NaN) };
    });
  }

  function kindOfRecord(window: unknown): number | undefined {
    if (window instanceof Window) return WINDOW;
    return window instanceof Sequences ? SEQUENCES : undefined;
  }

  const openMetrics = (windows: unknown, nowMs?: unknown): string => textOf(entriesOf(windows, nowMs));

  /** The metrics of one record, read from the text: that has the one table of names and helps. */
  function familiesOf(entry: Entry): Map<string, Family> {
    const found = textOf([entry]).matchAll(FAMILY);
    return new Map(
      Array.from(found, ([, name = "", type, help = "", value]) => {
        return [name, { counter: type === "counter", help, value: value === undefined ? undefined : Number(value) }];
      }),
    );
  }

  function registerMetrics(client: Public.PromClient, windows: unknown, options?: unknown): void {
    const values = named(options, ["registry"]);
    if (values instanceof FirstSeenError) throw values;
    const registry = (values.registry ?? client.register) as Public.PromRegistry;
    const made: string[] = [];

    /** The labels and metrics of each record as of now. All metrics of a scrape are asked for in one go. */
    let moment: { kind: number; labels: object; families: Map<string, Family> }[] | undefined;
    function read(): NonNullable<typeof moment> {
      if (moment === undefined) {
        moment = entriesOf(windows, undefined).map((entry) => {
          return { kind: entry.kind, labels: { [KINDS[entry.kind]!.label]: entry.name }, families: familiesOf(entry) };
        });
        queueMicrotask(() => (moment = undefined));
      }
      return moment;
    }

    function register(kind: number, family: string, { counter, help }: Family): void {
      const name = counter ? `${family}_total` : family;
      const make = counter ? client.Counter : client.Gauge;
      new make({
        name,
        help,
        labelNames: [KINDS[kind]!.label],
        registers: [registry],
        collect(this: Metric) {
          const records = read().filter((record) => record.kind === kind);
          this.reset();
          for (const { labels, families } of records) {
            const value = families.get(family)?.value;
            if (value === undefined) continue;
            if (counter) this.inc(labels, value);
            else this.set(labels, value);
          }
        },
      });
      made.push(name);
    }

    // What is no window is refused now.
    read();
    try {
      KINDS.forEach(({ names }, kind) => {
        const blank = { kind, name: "-", figures: names.map(() => 0) };
        for (const [name, family] of familiesOf(blank)) register(kind, name, family);
      });
    } catch (error) {
      // A name that is taken.
      for (const name of made) registry.removeSingleMetric(name);
      throw error;
    }
  }

  return { openMetrics, registerMetrics } as Metrics;
}
