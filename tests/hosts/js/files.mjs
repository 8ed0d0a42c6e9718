// For the adapters, all of which are driven from Node: the vector files, and the closing line.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isOurs } from "./conformance.mjs";

const VECTORS = fileURLToPath(new URL("../../vectors/", import.meta.url));

export const here = fileURLToPath(new URL("./", import.meta.url));

const parse = (path) => JSON.parse(readFileSync(path, "utf8"));

function jsonBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json") && entry.name !== "manifest.json")
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

/** `node ADAPTER.mjs TARBALL [GENERATED]`: the package to test, and a folder of random scenarios. */
export function commandLine() {
  const [tarball, generated, ...rest] = process.argv.slice(2);
  if (!tarball || rest.length) {
    console.error("usage: node ADAPTER.mjs TARBALL [FOLDER_OF_GENERATED_SCENARIOS]");
    process.exit(2);
  }
  return { tarball: resolve(tarball), paths: vectorPaths(generated && resolve(generated)) };
}

/** The vector files that every host runs, and how many cases the manifest declares. */
export function vectorPaths(generated) {
  const manifest = parse(join(VECTORS, "manifest.json"));
  const vectors = jsonBelow(VECTORS);
  const named = Object.keys(manifest.files).map((name) => join(VECTORS, name)).sort();
  if (named.join() !== vectors.join()) throw new Error("the vector files are not those that the manifest names");
  const random = generated ? jsonBelow(generated) : [];
  if (generated && random.length === 0) throw new Error(`no generated scenarios in ${generated}`);
  return { manifest, vectors, random, all: [...vectors, ...random] };
}

/** Runs file by file, so that no host has to hold all of them, then reports. */
export async function runAll(host, { manifest, all, random }, runFile) {
  const total = { ran: 0, passed: 0, failed: [] };
  let declared = manifest.hosts[host];
  for (const path of all) {
    const file = parse(path);
    if (random.includes(path)) declared += file.cases.filter(isOurs).length;
    const { ran, passed, failed } = await runFile(file, path);
    total.ran += ran;
    total.passed += passed;
    total.failed.push(...failed);
  }
  report(host, total, declared);
}

/** The closing line; the exit code follows it. */
function report(host, { ran, passed, failed }, declared) {
  const shown = 20;
  for (const { name, step, got, want } of failed.slice(0, shown)) {
    console.log(`${host}: ${name}\n  step ${step}\n  got  ${got}\n  want ${want}`);
  }
  if (failed.length > shown) console.log(`${host}: and ${failed.length - shown} more`);
  console.log(`${host}: ${passed} passed, ${failed.length} failed`);
  if (ran !== declared) console.log(`${host}: ran ${ran} cases, but ${declared} are declared for it`);
  if (ran !== declared || failed.length > 0 || passed !== ran) process.exitCode = 1;
}
