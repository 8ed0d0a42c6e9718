import { runSuite } from "./conformance.mjs";
import { commandLine, runAll } from "./files.mjs";
import { installAlone, loadBoth, remove } from "./install.mjs";

/** A package in this very Node. */
export async function runInNode(host, name) {
  const { tarball, paths } = commandLine();
  const folder = installAlone(tarball);
  try {
    const api = await loadBoth(folder, name);
    await runAll(host, paths, (file) => runSuite(api, [file], { host }));
  } finally {
    remove(folder);
  }
}
