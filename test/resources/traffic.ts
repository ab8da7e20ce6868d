// Reports and reads the traffic of a project.
import assert from "node:assert/strict";
import { MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import type { TestResponse, Body, TestApp, TestUser } from "../harness/test-app.ts";
import { openFirewall } from "./firewalls.ts";

/** The body's counts that tests leave out. */
const USUAL = { host: "example.com", action: "allow", count: 1 };

export interface Traffic {
  readonly user: TestUser;
  /** Any call; `rest` follows the project in the query. */
  call(method: string, name: string, rest?: string, body?: unknown): Promise<TestResponse>;
  report(counts: readonly object[]): Promise<TestResponse>;
  /** `perMinute` requests in each of `minutes` minutes from `from` on. */
  flow(from: number, minutes: number, perMinute: number | ((minute: number) => number), more?: object): Promise<void>;
  /** What came of requests, newest first. */
  actions(rest?: string): Promise<Body>;
  attacks(rest?: string): Promise<Body>;
}

/** The traffic of a project of a new account. */
export async function openTraffic({ request, createUser, clock }: TestApp, projectId = "default"): Promise<Traffic> {
  const user = await createUser();
  const { token } = user;
  await openFirewall({ request }, token, projectId).set();
  const read = async (name: string, rest = ""): Promise<Body> => {
    const response = await self.call("GET", name, rest);
    assert.equal(response.status, 200, response.text);
    return response.body;
  };
  const self: Traffic = {
    user,
    call: (method, name, rest = "", body) =>
      request(method, `/v1/security/firewall/${name}?projectId=${projectId}${rest}`, {
        token,
        ...(body === undefined ? {} : { body }),
      }),
    report: (counts) =>
      self.call("POST", "traffic", "", { counts: counts.map((count) => ({ at: clock.now, ...USUAL, ...count })) }),
    async flow(from, minutes, perMinute, more = {}) {
      const counts = Array.from({ length: minutes }, (_, minute) => ({
        at: from + minute * MINUTE_MS,
        count: typeof perMinute === "number" ? perMinute : perMinute(minute),
        ...more,
      }));
      for (let at = 0; at < counts.length; at += 1_000) {
        const response = await self.report(counts.slice(at, at + 1_000));
        assert.equal(response.status, 200, response.text);
      }
    },
    actions: async (rest) => (await read("events", rest)).actions,
    attacks: async (rest) => (await read("attack-status", rest)).anomalies,
  };
  return self;
}
