// The two processes beside a server that delivers: a receiver, and the bare loop that is the limit.
import { fork } from "node:child_process";
import { once } from "node:events";
import { readBody, stopChild } from "./processes.ts";
import type { ChildServer, ServerProcess } from "./processes.ts";
import type { HookSet } from "./seed-webhooks.ts";

/** The settings of a server that delivers to the receiver. */
export const LOCAL_EGRESS = { REEVE_EGRESS_ALLOW: "127.0.0.0/8", REEVE_EGRESS_PORTS: "1-65535" };

/** What a receiver counts from now on, and when it says so. */
export interface Expectation {
  readonly requests: number;
  /** Whether each arrival's time is wanted. */
  readonly hasTimes: boolean;
}

/** Times are milliseconds of `machineMs`. */
export interface Arrivals {
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly times: readonly Arrival[];
}

/** One request that was answered at once. */
export interface Arrival {
  readonly path: string;
  /** Of the event, in its owner's chain. */
  readonly sequence: number;
  readonly at: number;
}

/** Paths of a receiver that never answers, answers 500, or answers 200 after ten seconds. */
export const FAILING_PATHS = { hang: "/hang", error: "/error", slow: "/slow" } as const;

export interface Sending {
  readonly url: string;
  readonly body: string;
  readonly requests: number;
  readonly inFlight: number;
}

export interface Receiver extends ChildServer {
  readonly url: string;
  /** Without paths; the first is `url`. */
  readonly origins: readonly string[];
  /** Resolves when so many requests have arrived from now on. */
  expect(expectation: Expectation): Promise<Arrivals>;
}

export interface BareSender extends ChildServer {
  /** Resolves when all are answered. */
  send(sending: Sending): Promise<void>;
}

/** Milliseconds of a clock that all processes of the machine share. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

const HERE = import.meta.dirname;

export async function startReceiver(count = 1): Promise<Receiver> {
  const child = fork(`${HERE}/receiver.ts`, [String(count)], { stdio: "inherit" });
  const [ports] = (await once(child, "message")) as [number[]];
  const origins = ports.map((port) => `http://127.0.0.1:${port}`);
  return {
    url: origins[0] as string,
    origins,
    pid: child.pid as number,
    stop: () => stopChild(child),
    async expect(expectation) {
      const arrived = once(child, "message");
      child.send(expectation);
      return ((await arrived) as [Arrivals])[0];
    },
  };
}

export async function startBareSender(): Promise<BareSender> {
  const child = fork(`${HERE}/bare-sender.ts`, { stdio: "inherit" });
  await once(child, "message");
  return {
    pid: child.pid as number,
    stop: () => stopChild(child),
    async send(sending) {
      const done = once(child, "message");
      child.send(sending);
      await done;
    },
  };
}

/** Switches an owner's webhooks on or off. */
export async function switchHooks(
  server: ServerProcess,
  { token, webhookIds }: HookSet,
  active: boolean,
): Promise<void> {
  await Promise.all(
    webhookIds.map((id) => readBody(server, token, { method: "PATCH", path: `/v1/webhooks/${id}`, body: { active } })),
  );
}
