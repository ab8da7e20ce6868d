// A project with a day of traffic, and the automatic of its attack challenge mode.
import assert from "node:assert/strict";
import { DAY_MS, MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { latencyIndex, noLatencies } from "../../src/platform/kernel/telemetry/latencies.ts";
import { send, uniqueName } from "../harness/test-app.ts";
import type { Body, TestApp, TestResponse, TestUser } from "../harness/test-app.ts";
import { openShield } from "./attack-mode.ts";
import type { Shield } from "./attack-mode.ts";
import { openTraffic } from "./traffic.ts";

const URL = "/v1/attack-challenge-mode/automatic";

/** Latencies of so many responses that each took as long. */
export function latencies(count: number, ms: number): number[] {
  return noLatencies().map((_none, at) => (at === latencyIndex(ms) ? count : 0));
}

export interface Automatic {
  readonly user: TestUser;
  readonly projectId: string;
  readonly shield: Shield;
  get(): Promise<Body>;
  set(enabled: boolean, headers?: Readonly<Record<string, string>>): Promise<TestResponse>;
  /** Requests now, or what `more` says of the time. */
  requests(count: number, more?: object): Promise<void>;
  /** Responses now. */
  responses(count: number, errors: number, ms?: number): Promise<void>;
  /** Reports a day of minutes up to now, each alike. */
  live(perMinute: { readonly requests: number; readonly responses?: object }): Promise<void>;
  isOn(): Promise<boolean>;
  /** What was recorded of the mode, the oldest first. */
  events(): Promise<Body[]>;
}

/** `app` is asked for each call, so that a test may start another one. */
export async function openAutomatic(client: TestApp, app = () => client.app): Promise<Automatic> {
  const { clock } = client;
  const projectId = uniqueName("project");
  const request = (...[method, url, options = {}]: Parameters<typeof client.request>) =>
    send(app(), method, url, options);
  const { user, call } = await openTraffic({ ...client, request }, projectId);
  const shield = openShield({ request }, user.token, projectId);
  const { token } = user;

  async function report(counts: readonly object[], responses: readonly object[] = []): Promise<void> {
    const response = await call("POST", "traffic", "", { counts, responses });
    assert.equal(response.status, 200, response.text);
  }

  return {
    user,
    projectId,
    shield,
    get: async () => (await request("GET", `${URL}?projectId=${projectId}`, { token })).body,
    set: (enabled, headers = {}) =>
      request("PATCH", `${URL}?projectId=${projectId}`, { token, headers, body: { enabled } }),
    requests: (count, more = {}) => report([{ at: clock.now, host: "example.com", action: "allow", count, ...more }]),
    responses: (count, errors, ms) =>
      report([], [{ at: clock.now, count, errors, ...(ms !== undefined && { latencies: latencies(count, ms) }) }]),
    async live({ requests, responses }) {
      const from = clock.now - DAY_MS;
      const times = Array.from({ length: DAY_MS / MINUTE_MS }, (_, at) => from + at * MINUTE_MS);
      for (let at = 0; at < times.length; at += 100) {
        const some = times.slice(at, at + 100);
        await report(
          some.map((time) => ({ at: time, host: "example.com", action: "allow", count: requests })),
          responses ? some.map((time) => ({ at: time, ...responses })) : [],
        );
      }
    },
    isOn: async () => (await shield.get()).body.attackModeEnabled,
    events: async () => (await client.readEvents(user.id)).filter(({ type }) => type.startsWith("attack-mode-")),
  };
}
