// What the two packages' own build.mjs have in common: types are checked, then each entry becomes one file in dist/.

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const modules = join(here, "node_modules");

/** `npm ci`, left out while what is installed is what the lock file says. */
function install() {
  const lock = readFileSync(join(here, "package-lock.json"), "utf8");
  const stamp = join(modules, ".firstseen-lock");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  const windows = process.platform === "win32";
  execFileSync(windows ? "npm.cmd" : "npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: here,
    stdio: "inherit",
    shell: windows,
  });
  writeFileSync(stamp, lock);
}

/** An empty dist/ below `folder`, with the declarations of the facade in both their names. */
export function prepare(folder) {
  install();
  execFileSync(process.execPath, [join(modules, "typescript", "bin", "tsc"), "--project", here], { stdio: "inherit" });
  const dist = join(folder, "dist");
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist);
  for (const name of ["index.d.ts", "index.d.cts"]) copyFileSync(join(here, "firstseen.d.ts"), join(dist, name));
  for (const name of ["testing.d.ts", "testing.d.cts"]) copyFileSync(join(here, "testing.d.ts"), join(dist, name));
  for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) copyFileSync(join(here, "..", name), join(dist, name));
  return dist;
}

/** Bundles `entries` (output name without extension: source). */
export async function bundle(dist, entries, format) {
  const { build } = createRequire(join(modules, "x.js"))("esbuild");
  await build({
    entryPoints: Object.entries(entries).map(([out, source]) => ({ out, in: source })),
    outdir: dist,
    outExtension: { ".js": format === "cjs" ? ".cjs" : ".js" },
    bundle: true,
    format,
    platform: format === "cjs" ? "node" : "neutral",
    target: "es2022",
    // A module in the text itself, as bytes: there is no file beside it that a bundler could lose.
    loader: { ".wasm": "binary" },
    logLevel: "warning",
  });
}

/** The helper for users' own tests, in both formats: it shares nothing with the rest. */
export async function testing(dist) {
  const source = { testing: join(here, "facade", "testing.ts") };
  await bundle(dist, source, "cjs");
  await bundle(dist, source, "esm");
}

/** An ES module that gives what the CommonJS one does: two copies of a class would tell `import` from `require`. */
export function wrap(dist, name, cjs) {
  const lines = ["FirstSeenError", "InFlight", "Sequences", "Window", "fingerprint", "fingerprintJson", "openMetrics", "plan", "registerMetrics"].map((each) => `export const ${each} = api.${each};`);
  writeFileSync(join(dist, name), [`import api from "./${cjs}";`, ...lines, ""].join("\n"));
}
