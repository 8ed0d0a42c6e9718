// The WASM package in headless Chromium: a page imports the package's own files from a local server,
// and a module worker imports what a bundler makes of it.

import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, join, relative, sep } from "node:path";
import { chromium } from "playwright-core";
import { BROWSER, MODULE, browserFileOf, bundle, fileOf, read } from "./entries.mjs";
import { commandLine, here, runAll } from "./files.mjs";
import { installAlone, remove } from "./install.mjs";

const HOST = "wasm-chromium";

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

const TYPES = { js: "text/javascript", mjs: "text/javascript", html: "text/html", json: "application/json", wasm: "application/wasm" };

const page = (entry) => `<!doctype html>
<script type="importmap">${JSON.stringify({ imports: { [BROWSER]: entry } })}</script>
<script type="module">
  import { FirstSeenError, Sequences, Window, fingerprint, fingerprintJson, openMetrics, plan } from ${JSON.stringify(BROWSER)};
  import { runSuite } from "/suite/conformance.mjs";
  globalThis.inPage = async (path) =>
    runSuite({ FirstSeenError, Sequences, Window, fingerprint, fingerprintJson, openMetrics, plan }, [await (await fetch(path)).json()], { host: ${JSON.stringify(HOST)} });

  const worker = new Worker("/bundle/worker.mjs", { type: "module" });
  globalThis.inWorker = (path) =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error("the module worker failed: " + message));
      worker.postMessage(path);
    });
</script>`;

const WORKER_SOURCE = `
  import { FirstSeenError, Sequences, Window, fingerprint, fingerprintJson, openMetrics, plan } from ${JSON.stringify(BROWSER)};
  import { runSuite } from "#conformance";
  globalThis.onmessage = async ({ data: path }) => {
    const file = await (await fetch(path)).json();
    postMessage(runSuite({ FirstSeenError, Sequences, Window, fingerprint, fingerprintJson, openMetrics, plan }, [file], { host: "bundle" }));
  };
`;

/** The Chromium that is here; nothing is downloaded. */
function browserPath() {
  const wanted = process.env.FIRSTSEEN_CHROMIUM;
  const places = wanted ? [wanted] : ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  const found = places.find((path) => existsSync(path));
  if (!found) {
    throw new Error(`no Chromium at ${places.join(", ")}: run \`apt-get install chromium\`, or set FIRSTSEEN_CHROMIUM to its path`);
  }
  return found;
}

async function serve(route) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const body = route(pathname);
    if (body === undefined) return void response.writeHead(404).end(`no ${pathname}`);
    const type = TYPES[pathname.split(".").pop()] ?? "text/html";
    response.writeHead(200, { "content-type": type }).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** Everything that the page and its worker load. */
async function routes(folder, byName) {
  const wasm = fileOf(folder, MODULE);
  const place = realpathSync(join(folder, "node_modules", "firstseen-wasm"));
  const entry = relative(place, await browserFileOf(folder, BROWSER)).split(sep).join("/");
  const bundled = await bundle(WORKER_SOURCE, folder, { platform: "browser" });
  return (name) => {
    const file = basename(name);
    if (name === "/") return page(`/package/${entry}`);
    if (name === "/favicon.ico") return "";
    if (name === "/bundle/worker.mjs") return bundled;
    // A bundler lays the module beside its output.
    if (name.startsWith("/bundle/") && file.endsWith(".wasm")) return read(wasm);
    if (name.startsWith("/suite/")) return read(join(here, file));
    if (name.startsWith("/package/")) return read(join(place, name.slice("/package/".length)));
    return byName.has(name) ? read(byName.get(name)) : undefined;
  };
}

const { tarball, paths } = commandLine();
const names = new Map(paths.all.map((path, index) => [path, `/vectors/${index}.json`]));
const byName = new Map([...names].map(([path, name]) => [name, path]));
const folder = installAlone(tarball);
const profile = mkdtempSync(join(tmpdir(), "firstseen-chromium-"));
let server, context;
try {
  server = await serve(await routes(folder, byName));
  context = await chromium.launchPersistentContext(profile, {
    executablePath: browserPath(),
    headless: true,
    args: FLAGS,
  });
  const tab = await context.newPage();
  tab.on("pageerror", (error) => console.log(`page: ${error.stack ?? error}`));
  tab.on("console", (message) => console.log(`page: ${message.text()}`));
  await tab.goto(server.origin);
  await tab.waitForFunction(() => "inPage" in globalThis, undefined, { timeout: 20_000 });
  await runAll(HOST, paths, (_, path) => tab.evaluate((name) => globalThis.inPage(name), names.get(path)));
  console.log("the same vectors bundled by esbuild, in a module worker:");
  const vectors = { ...paths, all: paths.vectors, random: [] };
  await runAll(HOST, vectors, (_, path) => tab.evaluate((name) => globalThis.inWorker(name), names.get(path)));
} finally {
  await context?.close();
  server?.close();
  remove(folder);
  rmSync(profile, { recursive: true, force: true });
}
