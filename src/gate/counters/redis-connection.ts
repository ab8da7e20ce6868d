// One connection to Redis or Valkey, which is made again whenever it breaks. Loaded with REEVE_GATE_REDIS_URL only.
import { createClient } from "@redis/client";
import type { SendCommand } from "./count-script.ts";

const CONNECT_MS = 2_000;
const PING_MS = 1_000;
/** A peer that is silent for so long, pings included, is gone. */
const SILENT_MS = 5_000;
const MAX_BACKOFF_MS = 1_000;
/** Sent and not answered; further commands are refused. */
const MAX_WAITING = 10_000;

export interface RedisConnection {
  /** Rejects at once while there is no connection. */
  readonly send: SendCommand;
  close(): void;
}

export interface ConnectionObserver {
  /** Commands are taken from now on. */
  ready(): void;
  /** No connection, and why. It is tried again. */
  failed(reason: string): void;
}

/** `unix:/run/redis.sock` is the library's `socket.path`. */
function targetOf(url: string): { readonly url?: string; readonly path?: string } {
  return url.startsWith("unix:") ? { path: decodeURIComponent(new URL(url).pathname) } : { url };
}

function describe(error: Error): string {
  // Of several addresses of a name, each has its own.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
}

export function connectRedis(url: string, { ready, failed }: ConnectionObserver): RedisConnection {
  const { path, ...target } = targetOf(url);
  const client = createClient({
    ...target,
    // What every version of Redis and Valkey speaks, and needs no rights but those for the commands that are sent.
    RESP: 2,
    disableClientInfo: true,
    maintNotifications: "disabled",
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_WAITING,
    pingInterval: PING_MS,
    socket: {
      ...(path !== undefined && { path, tls: false }),
      connectTimeout: CONNECT_MS,
      socketTimeout: SILENT_MS,
      reconnectStrategy: (retries) => Math.min(MAX_BACKOFF_MS, 50 * 2 ** retries),
    },
  });
  client.on("ready", ready);
  client.on("error", (error: Error) => failed(describe(error)));
  // It has been said as an error, and is tried again.
  client.connect().catch(() => undefined);
  return {
    send: async (args) => await client.sendCommand(args),
    close: () => client.destroy(),
  };
}
