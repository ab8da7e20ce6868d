// A control plane with a protected project, keys that can be revoked, and applications of Express behind a gate within them.
import { after } from "node:test";
import type { TestContext } from "node:test";
import express from "express";
import { createGate } from "../../src/gate/middleware.ts";
import type { ApplicationGate, GateOptions } from "../../src/gate/middleware.ts";
import type { GateLog } from "../../src/gate/gate-log.ts";
import { ADMIN } from "./failing-gate.ts";
import { echo, listenOn, sendTo, startGateWorld } from "./gate-world.ts";
import type { GateAnswer, GateWorld } from "./gate-world.ts";

export interface RecordedLog {
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly log: GateLog;
}

export interface ProtectedApplication extends RecordedLog {
  readonly gate: ApplicationGate;
  ask(path: string): Promise<GateAnswer>;
}

export interface MistakenWorld extends GateWorld {
  /** A project with a configuration. */
  readonly shop: string;
  createKey(body?: object): Promise<{ readonly id: string; readonly value: string }>;
  revoke(id: string): Promise<void>;
  /** A started application behind a gate of the project, unless options say otherwise. */
  protectedBy(options: Partial<GateOptions>): Promise<ProtectedApplication>;
}

export function recordLog(): RecordedLog {
  const errors: string[] = [];
  const warnings: string[] = [];
  const write = (lines: string[]) => (details: object, message: string) =>
    void lines.push(`${message} ${JSON.stringify(details)}`);
  return { errors, warnings, log: { info() {}, warn: write(warnings), error: write(errors) } };
}

/** Gates of this test poll at once, which they would about every ten seconds. */
export function pollAtOnce(t: TestContext): void {
  const { setTimeout: start } = globalThis;
  t.mock.method(globalThis, "setTimeout", (run: () => void, ms = 0, ...given: []) =>
    start(run, ms >= 8_000 && ms <= 12_000 ? 50 : ms, ...given),
  );
}

export async function startMistakenWorld(): Promise<MistakenWorld> {
  const world = await startGateWorld();
  const { key, server, team, user } = world;
  const shop = await world.newProject(ADMIN);
  const keys = (id = "") => `/v1/api-keys${id}?teamId=${team.id}`;
  return {
    ...world,
    shop,
    async createKey(more = {}) {
      const body = { name: "gate", role: "SECURITY", ...more };
      const made = await world.request("POST", keys(), { token: user.token, body });
      return { id: made.body.apiKey.id, value: made.body.value };
    },
    async revoke(id) {
      await world.request("DELETE", keys(`/${id}`), { token: user.token });
    },
    async protectedBy(options) {
      const logged = recordLog();
      const gate = createGate({ server, key, team: team.slug, project: shop, log: logged.log, ...options });
      after(() => gate.close());
      const application = await listenOn(express().use(gate.express()).use(echo));
      return { gate, ...logged, ask: (path) => sendTo(application.url, path) };
    },
  };
}
