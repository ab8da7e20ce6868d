// Slots that tenants share: while all are taken, a newcomer gets one from a tenant that holds more than a quarter.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createFairLimiter } from "./fair-limiter.ts";

const ALL = 8;
const SHARE = 2;

function open() {
  const limiter = createFairLimiter({ each: 4, all: ALL }, (limit) => new Error(limit));
  const held = new Map<string, number>();
  const count = (tenant: string, by: number) => held.set(tenant, (held.get(tenant) ?? 0) + by);
  return {
    held,
    take(key: string, tenant = key) {
      const release = limiter.take({ key, tenant, displace: () => count(tenant, -1) });
      count(tenant, 1);
      return () => {
        release();
        count(tenant, -1);
      };
    },
  };
}

test("a tenant takes all that is free, by keys of its own, and gives up its newest for others down to a quarter", () => {
  const { take, held } = open();
  for (let slot = 0; slot < ALL; slot++) take(`team ${slot}`, "large");
  assert.throws(() => take("team of more", "large"), /^Error: all$/);
  for (let slot = 0; slot < SHARE; slot++) take("quiet");
  assert.deepEqual([held.get("large"), held.get("quiet")], [ALL - SHARE, SHARE]);
  assert.throws(() => take("quiet"), /^Error: all$/);
  for (let slot = 0; slot < ALL - 2 * SHARE; slot++) take(`other ${slot}`);
  assert.equal(held.get("large"), SHARE);
  assert.throws(() => take("late"), /^Error: all$/);
});

test("a key has its own bound", () => {
  const { take } = open();
  const releases = Array.from({ length: 4 }, () => take("user"));
  assert.throws(() => take("user"), /^Error: each$/);
  releases[0]?.();
  take("user");
});

test("slots are neither lost nor given twice, and nobody is displaced below a quarter", () => {
  const step = fc.record({ tenant: fc.constantFrom("a", "b", "c", "d", "e"), key: fc.nat(2), isTake: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const limiter = createFairLimiter({ each: 4, all: ALL }, (limit) => new Error(limit));
      const present: { readonly tenant: string; readonly release: () => void }[] = [];
      for (const { tenant, key, isTake } of steps) {
        const own = present.findIndex((slot) => slot.tenant === tenant);
        if (!isTake && own >= 0) present.splice(own, 1)[0]?.release();
        if (!isTake) continue;
        const entry = { tenant, release: () => undefined as void };
        const displace = () => {
          assert.ok(present.filter((slot) => slot.tenant === tenant).length > SHARE);
          present.splice(present.indexOf(entry), 1);
        };
        try {
          entry.release = limiter.take({ key: `${tenant} ${key}`, tenant, displace });
          present.push(entry);
        } catch (error) {
          assert.match(String(error), /^Error: (?:each|all)$/);
          if (String(error) === "Error: all") assert.equal(present.length, ALL);
        }
        assert.ok(present.length <= ALL);
      }
    }),
  );
});
