import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { path, window } from "./package.mjs";

const SOURCE = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { Window } = require(workerData);
  const w = Window.exact({ windowMs: 60_000 });
  let firsts = 0;
  for (let round = 0; round < 2; round++) {
    for (let index = 0; index < 20_000; index++) firsts += w.firstSeen("evt_" + index, 1);
  }
  parentPort.postMessage(firsts);
`;

function inWorker() {
  return new Promise((resolve, reject) => {
    const worker = new Worker(SOURCE, { eval: true, workerData: path });
    let firsts;
    worker.on("message", (message) => (firsts = message));
    worker.on("error", reject);
    worker.on("exit", (code) => (code === 0 ? resolve(firsts) : reject(new Error(`exit ${code}`))));
  });
}

test("each thread has windows of its own, and takes them along when it ends", async () => {
  const mine = window();
  mine.firstSeen("evt_1", 1);
  for (let round = 0; round < 3; round++) {
    assert.deepEqual(await Promise.all([inWorker(), inWorker(), inWorker()]), [20_000, 20_000, 20_000]);
  }
  assert.equal(mine.firstSeen("evt_1", 1), false);
  assert.equal(mine.size, 1);
});
