// One stream of webhooks, four hosts, one answer. `cargo xtask demo` builds what this needs, and runs it.
// `node demo/run.mjs [--seed N] [--events N]`

import { execFile, spawn, spawnSync } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { copyFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { env, platform } from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { installAlone, remove } from "../tests/hosts/js/install.mjs";

const run = promisify(execFile);
const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("..", import.meta.url));
const windows = platform === "win32";

const { values } = parseArgs({
  options: { seed: { type: "string", default: "2026" }, events: { type: "string", default: "1000" } },
});

/** `npm ci`, left out while what is installed is what the lock file says. */
function installTools() {
  const lock = readFileSync(join(here, "package-lock.json"), "utf8");
  const stamp = join(here, "node_modules", ".firstseen-lock");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  const { status } = spawnSync("npm ci --ignore-scripts --no-audit --no-fund --loglevel=error", {
    cwd: here,
    stdio: ["ignore", "ignore", "inherit"],
    shell: true,
  });
  if (status !== 0) throw new Error("`npm ci` failed in demo/");
  writeFileSync(stamp, lock);
}

/** The one file in dist/ that matches. */
function built(pattern) {
  const folder = join(root, "dist");
  const found = existsSync(folder) ? readdirSync(folder).filter((name) => pattern.test(name)) : [];
  if (found.length !== 1) throw new Error(`dist/ holds ${found.length} files like ${pattern}, not one: run \`cargo xtask dist\``);
  return join(folder, found[0]);
}

function commandLine() {
  const path = join(env.CARGO_TARGET_DIR ?? join(root, "target"), "release", windows ? "firstseen.exe" : "firstseen");
  if (!existsSync(path)) throw new Error("the command line is not built: run `cargo build --release -p firstseen-cli`");
  return path;
}

/** A virtual environment in `folder` that holds the wheel and nothing else; its Python. */
async function pythonWith(wheel, folder) {
  const candidates = env.PYTHON ? [env.PYTHON] : ["python3", "python"];
  const probe = ["-c", "import sys; sys.exit(sys.version_info < (3, 10))"];
  const python = candidates.find((name) => spawnSync(name, probe, { stdio: "ignore" }).status === 0);
  if (!python) throw new Error(`no Python 3.10 or later under the names ${candidates.join(", ")}: set PYTHON to its path`);
  const venv = join(folder, "venv");
  await run(python, ["-m", "venv", venv]);
  const own = join(venv, windows ? "Scripts" : "bin", "python");
  await run(own, ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", wheel]);
  return own;
}

const json = (text) => text.split("\n").filter(Boolean).map((line) => JSON.parse(line));

const headersOf = (delivery) => ({
  "content-type": "application/json",
  "x-github-event": delivery.event,
  "x-github-delivery": delivery.id,
  "x-sent-ms": String(delivery.now),
});

/** POSTs all, one after another, and then asks for the figures. */
async function post(deliveries, fetch, headers) {
  const kinds = [];
  for (const delivery of deliveries) {
    const response = await fetch({ method: "POST", headers: headers(delivery), body: delivery.body });
    const answer = await response.json();
    if (!response.ok) throw new Error(`delivery ${delivery.n} was answered ${response.status}: ${JSON.stringify(answer)}`);
    kinds.push(answer.kind);
  }
  const stats = await (await fetch({ method: "GET" })).json();
  return { kinds, stats };
}

async function node({ folder, deliveries, options }) {
  const secret = randomBytes(20).toString("hex");
  // Beside the package, so that `firstseen` is what the tarball brought.
  const script = join(folder, "receiver.mjs");
  copyFileSync(join(here, "receiver.mjs"), script);
  const server = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...env, WEBHOOK_SECRET: secret },
  });
  try {
    const port = await new Promise((resolve, reject) => {
      server.stdout.once("data", (data) => resolve(Number(data)));
      server.once("exit", (status) => reject(new Error(`the receiver ended with status ${status}`)));
    });
    const sign = (body) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    const { kinds, stats } = await post(
      deliveries,
      (request) => fetch(`http://127.0.0.1:${port}/`, request),
      (delivery) => ({ ...headersOf(delivery), "x-hub-signature-256": sign(delivery.body) }),
    );
    if (stats.processed !== stats.first) throw new Error(`the receiver processed ${stats.processed} of ${stats.first}`);
    return { kinds, effective: stats.effectiveWindowMs };
  } finally {
    server.stdin.end();
  }
}

async function python({ interpreter, file, options }) {
  const parameters = [join(here, "consumer.py"), file, String(options.windowMs), String(options.bucketMs)];
  const { stdout } = await run(interpreter, parameters, { maxBuffer: 2 ** 28 });
  const answers = json(stdout);
  const stats = answers.pop();
  return { kinds: answers.map(({ kind }) => kind), effective: stats.effective_window_ms };
}

const WASM = "firstseen-wasm/firstseen.wasm";

/** workerd, with the worker's `text` and what the tarball of firstseen-wasm brought. */
function edge(text, folder, options) {
  const { Miniflare } = createRequire(import.meta.url)("miniflare");
  const resolve = createRequire(join(folder, "entry.cjs")).resolve;
  return new Miniflare({
    modules: [
      { type: "ESModule", path: "worker.mjs", contents: text },
      { type: "ESModule", path: "firstseen-wasm/worker", contents: readFileSync(resolve("firstseen-wasm/worker"), "utf8") },
      { type: "CompiledWasm", path: WASM, contents: readFileSync(resolve(WASM)) },
    ],
    bindings: { OPTIONS: options },
    compatibilityDate: "2025-01-01",
    // Otherwise it looks up a public host for what a request of a real edge carries.
    cf: false,
  });
}

async function worker({ folder, deliveries, options }) {
  const host = edge(readFileSync(join(here, "worker.mjs"), "utf8"), folder, options);
  try {
    const url = await host.ready;
    const { kinds, stats } = await post(deliveries, (request) => fetch(url, request), headersOf);
    return { kinds, effective: stats.effectiveWindowMs };
  } finally {
    await host.dispose();
  }
}

async function cli({ tool, folder, file, options }) {
  const [firsts, duplicates] = ["firsts.ndjson", "duplicates.ndjson"].map((name) => join(folder, name));
  const { stderr } = await run(tool, [
    ...["dedupe", file, "--id", "id", "--time", "now", "--time-unit", "ms"],
    ...["--window", `${options.windowMs}ms`, "--bucket", `${options.bucketMs}ms`],
    ...["--output", firsts, "--duplicates", duplicates, "--summary", "json"],
  ]);
  const kinds = [];
  for (const [kind, path] of [
    ["first", firsts],
    ["duplicate", duplicates],
  ]) {
    for (const { n } of json(readFileSync(path, "utf8"))) kinds[n] = kinds[n] ? "both" : kind;
  }
  return { kinds, effective: JSON.parse(stderr).effective_window_ms };
}

const HOSTS = [
  ["Node, HTTP receiver", node],
  ["Python, consumer", python],
  ["WASM, worker in workerd", worker],
  ["command line", cli],
];

/** The worker that README.md shows is a program too. */
async function readmeWorker(folder) {
  const text = readFileSync(join(root, "README.md"), "utf8");
  const block = /^```js worker\n(.*?)^```$/ms.exec(text);
  if (!block) throw new Error("README.md shows no worker (a block tagged `js worker`)");
  const host = edge(block[1], folder, {});
  try {
    const answers = [];
    for (const id of ["one", "two", "one"]) {
      const headers = { "x-github-delivery": id };
      const response = await host.dispatchFetch("http://edge/", { method: "POST", headers, body: "{}" });
      answers.push(`${response.status} ${await response.text()}`);
    }
    const wanted = ["200 processed", "200 duplicate"];
    if (answers.join() !== [wanted[0], wanted[0], wanted[1]].join()) throw new Error(`the worker in README.md answers ${answers}`);
  } finally {
    await host.dispose();
  }
}

const count = (kinds, kind) => kinds.filter((each) => each === kind).length;
const minutes = (ms) => `${Number((ms / 60_000).toFixed(2))} min`;
const grouped = (number) => number.toLocaleString("en-US");

function table(rows) {
  const columns = ["host", "deliveries", "first", "duplicate", "effective window", "time"];
  const lines = [columns, ...rows];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  for (const line of lines) {
    console.log("  " + line.map((cell, column) => (column ? cell.padStart(widths[column]) : cell.padEnd(widths[0]))).join("  "));
  }
}

/** How many deliveries a host judged otherwise than it must, the first few of them told. */
function compare(host, kinds, deliveries) {
  const wrong = deliveries.filter(({ n, truth }) => kinds[n] !== truth);
  for (const { n, id, truth } of wrong.slice(0, 5)) console.log(`  ${host}: delivery ${n} (${id}) is ${truth}, it said ${kinds[n]}`);
  const surplus = Math.max(0, kinds.length - deliveries.length);
  if (surplus) console.log(`  ${host}: ${surplus} answers more than deliveries`);
  return wrong.length + surplus;
}

async function main() {
  const options = await prepare();
  try {
    return await show(options);
  } finally {
    remove(options.folder);
  }
}

async function prepare() {
  const [wheel, addon, wasm] = [/\.whl$/, /^firstseen-\d.*\.tgz$/, /^firstseen-wasm-\d.*\.tgz$/].map(built);
  const tool = commandLine();
  installTools();
  const folder = installAlone(addon, wasm);
  return { folder, tool, interpreter: await pythonWith(wheel, folder) };
}

async function show(places) {
  const { simulate, describe, payloads, WINDOW_MS, BUCKET_MS } = await import("./simulate.mjs");
  const seed = Number(values.seed);
  const deliveries = simulate(seed, Number(values.events));
  const file = join(places.folder, "deliveries.ndjson");
  const line = ({ n, id, now, event, body }) => `{"n":${n},"id":"${id}","now":${now},"event":"${event}","payload":${body}}\n`;
  writeFileSync(file, deliveries.map(line).join(""));

  const facts = describe(deliveries);
  console.log(`
${grouped(facts.events)} webhook events (${payloads().length} real GitHub payloads), delivered at least once (seed ${seed}):
  ${grouped(facts.deliveries)} deliveries, ${grouped(facts.behind)} out of order by up to ${facts.late / 1000} s, \
${facts.again} sent again by hand after more than the window
  id: X-GitHub-Delivery; time: when it was sent; window: ${WINDOW_MS / 60_000} minutes
`);

  const options = { windowMs: WINDOW_MS, bucketMs: BUCKET_MS };
  const rows = [["what must be so", deliveries.map(({ truth }) => truth), minutes(facts.effective), ""]];
  let wrong = 0;
  for (const [name, host] of HOSTS) {
    const begun = performance.now();
    const { kinds, effective } = await host({ ...places, deliveries, file, options });
    const seconds = (performance.now() - begun) / 1000;
    rows.push([name, kinds, minutes(effective), `${seconds.toFixed(2)} s`]);
    wrong += compare(name, kinds, deliveries);
    if (effective !== facts.effective) {
      console.log(`  ${name}: the effective window is ${effective} ms, not ${facts.effective}`);
      wrong += 1;
    }
  }
  table(rows.map(([name, kinds, ...rest]) => [
    name,
    ...[kinds.length, count(kinds, "first"), count(kinds, "duplicate")].map((number) => grouped(number)),
    ...rest,
  ]));
  await readmeWorker(places.folder);
  console.log(wrong ? `\nnot what it must be: ${wrong} times` : "\nfour hosts, one answer: each delivery judged alike, and as it must be");
  return wrong === 0;
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(`\ndemo: ${error.message}`);
  process.exitCode = 1;
}
