// Installs tarballs alone in an empty folder, as a user would, and loads them from there.
// `node install.mjs TARBALL...` prints the folder.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { argv } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Outside the project, whose own node_modules must not help. */
export function installAlone(...tarballs) {
  const folder = mkdtempSync(join(tmpdir(), "firstseen-"));
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const options = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync(npm, [...options, ...tarballs.map((path) => resolve(path))], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  return folder;
}

export const remove = (folder) => rmSync(folder, { recursive: true, force: true });

export function packageOf(folder, name) {
  const place = join(folder, "node_modules", name);
  return { place, ...JSON.parse(readFileSync(join(place, "package.json"), "utf8")) };
}

const NAMES = ["FirstSeenError", "Sequences", "Window", "fingerprint", "fingerprintJson", "openMetrics", "plan", "registerMetrics"];

/** The package by `require` and by `import`; both must give the same. */
export async function loadBoth(folder, name) {
  const required = createRequire(join(folder, "entry.cjs"))(name);
  const entry = join(folder, "entry.mjs");
  writeFileSync(entry, `export * from ${JSON.stringify(name)};\n`);
  const imported = await import(pathToFileURL(entry));
  for (const export_ of NAMES) {
    if (typeof required[export_] !== "function") throw new Error(`require("${name}").${export_} is missing`);
    // Two copies of a class would make `instanceof` depend on how a caller loads the package.
    if (required[export_] !== imported[export_]) {
      throw new Error(`\`${export_}\` of ${name} is not one and the same by require and by import`);
    }
  }
  return Object.fromEntries(NAMES.map((each) => [each, imported[each]]));
}

if (argv[1] && resolve(argv[1]) === fileURLToPath(import.meta.url)) {
  console.log(installAlone(...argv.slice(2)));
}
