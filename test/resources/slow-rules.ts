// Firewall rules that take seconds to evaluate for one request.
import assert from "node:assert/strict";
import { uniqueName } from "../harness/test-app.ts";
import type { TestApp } from "../harness/test-app.ts";

const SLOW = "(?:a|b)*a(?:a|b){200}[xy]";
/** Settings that accept such rules. */
export const FLAGS = { firewallCostLimit: "10000000" };
/** An evaluation that is not aborted outlasts the test. */
export const FOREVER_MS = 3_600_000;

/** Distinct texts, so that no result is cached. */
export function mixedUrl(seed: number): string {
  let state = seed;
  const letters = Array.from({ length: 1_900 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state & 0x1_0000 ? "a" : "b";
  });
  return `/${letters.join("")}`;
}

/** A project whose rules have this expression, and a function that evaluates a request. */
export async function openSlow({ createUser, request }: TestApp, rules = 88) {
  const { token } = await createUser();
  const query = `projectId=${uniqueName("slow")}`;
  const rule = {
    name: "Slow",
    active: true,
    conditionGroup: [{ conditions: [{ type: "path", op: "re", value: SLOW }] }],
    action: { mitigate: { action: "deny" } },
  };
  const body = { firewallEnabled: true, rules: Array.from({ length: rules }, () => rule) };
  assert.equal((await request("PUT", `/v1/firewalls?${query}`, { token, body })).status, 200);
  const path = `/v1/firewalls/active/evaluate?${query}`;
  return { token, path, evaluate: (requests: object[]) => request("POST", path, { token, body: { requests } }) };
}
