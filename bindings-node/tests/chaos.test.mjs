import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { folder, name, window } from "./package.mjs";

const { deliver } = createRequire(join(folder, "x.cjs"))(`${name}/testing`);
const lease = 30_000;

function* count(events) {
  for (let event = 0; event < events; event++) yield event;
}

test("with claims no event is lost, and only crashes repeat an effect", async () => {
  const w = window({ windowMs: 600_000 });
  const report = await deliver(
    count(700_000),
    async (delivery) => {
      const claim = w.claim(delivery.event, { leaseMs: lease, nowMs: delivery.nowMs });
      delivery.checkpoint();
      if (!claim.first) return claim.verdict.acknowledge;
      await delivery.effect();
      claim.commit(delivery.nowMs);
      delivery.checkpoint();
      return true;
    },
    { seed: 1 },
  );
  assert.ok(report.deliveries > 1_000_000, `${report.deliveries} deliveries`);
  assert.ok(report.crashed > 100_000 && report.repeated > 0);
  assert.ok(report.noMoreThanCrashesExplain, `${report.repeated} repeated, ${report.crashedAfterEffect} crashes`);
  assert.equal(report.acknowledged, 700_000);
});

test("with claims and an idempotent effect each is applied exactly once", async () => {
  const w = window({ windowMs: 600_000 });
  const applied = new Map();
  const report = await deliver(
    count(50_000),
    async ({ event, nowMs, effect }) => {
      const claim = w.claim(event, { leaseMs: lease, nowMs });
      if (!claim.first) return claim.verdict.acknowledge;
      await effect(() => {
        const before = applied.get(event);
        assert.ok(before === undefined || before < claim.token, "tokens grow");
        if (before === undefined) applied.set(event, claim.token);
      });
      claim.commit(nowMs);
      return true;
    },
    { seed: 2 },
  );
  assert.ok(report.atLeastOnce);
  assert.equal(applied.size, 50_000);
});

test("without claims a crash loses the event", async () => {
  const w = window({ windowMs: 600_000 });
  const report = await deliver(count(20_000), async ({ event, nowMs, effect }) => {
    if (w.firstSeen(event, nowMs)) await effect();
    return true;
  });
  assert.ok(report.lost > 500 && !report.atLeastOnce, `${report.lost} lost`);
});

test("beyond the window only lateness saves", async () => {
  for (const maxLatenessMs of [undefined, 600_000]) {
    const w = window({ windowMs: 600_000, maxLatenessMs });
    const report = await deliver(
      count(20_000),
      async ({ event, nowMs, effect }) => {
        const claim = w.claim(event, { leaseMs: lease, nowMs, atMs: 1e9 + event * 100 });
        if (!claim.first) return claim.verdict.acknowledge;
        await effect();
        claim.commit(nowMs);
        return true;
      },
      { seed: 4, crashes: 0, late: 0.1, lateByMs: 660_000 },
    );
    assert.ok(report.atLeastOnce);
    assert.equal(report.exactlyOnce, maxLatenessMs !== undefined);
  }
});
