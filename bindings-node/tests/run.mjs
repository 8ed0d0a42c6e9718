// `node run.mjs TARBALL...`: installs each tarball alone in an empty folder and runs the tests against it.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const tests = readdirSync(here).filter((name) => name.endsWith(".test.mjs")).map((name) => join(here, name));
const tarballs = process.argv.slice(2);
if (tarballs.length === 0) throw new Error("usage: node run.mjs TARBALL...");

for (const tarball of tarballs) {
  const folder = mkdtempSync(join(tmpdir(), "firstseen-tests-"));
  try {
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    const windows = process.platform === "win32";
    const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", resolve(tarball)];
    execFileSync(windows ? "npm.cmd" : "npm", install, { cwd: folder, stdio: ["ignore", "ignore", "inherit"], shell: windows });
    const [name] = Object.keys(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).dependencies);
    console.log(`${name}, from ${folder}`);
    const env = { ...process.env, FIRSTSEEN_PACKAGE: name, FIRSTSEEN_FOLDER: folder };
    const { status } = spawnSync(process.execPath, ["--expose-gc", "--no-warnings", "--test", ...tests], { stdio: "inherit", env });
    if (status !== 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
