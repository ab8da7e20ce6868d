// A client of servers that stop and start. It waits while there is none, and distinguishes requests with a response, requests
// that were certainly never sent, and requests with an unknown outcome.
import { setTimeout } from "node:timers/promises";
import { Agent, request } from "undici";
import type { Body } from "../../harness/test-app.ts";

const LOOK_AGAIN_MS = 10;
const ANSWER_WITHIN_MS = 60_000;
/** The status when a user has too many streams, while a slow server still sends the previous ones. */
const TOO_MANY = 429;
/** How long a read is retried. */
const READ_WITHIN_MS = 120_000;

/** No server listened, so nothing was sent. */
const UNSENT = new Set(["ECONNREFUSED", "UND_ERR_CONNECT_TIMEOUT"]);

export interface Reply {
  readonly status: number;
  readonly text: string;
  /** The text parsed as JSON; null when it is not JSON. */
  readonly body: Body;
}

export interface SendOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborts the wait for a server. */
  readonly signal?: AbortSignal;
}

export interface RetryingClient {
  /** Sends once. `lost`: the request may have been executed, or not. `unsent`: it was not, and the signal aborted the wait. */
  send(method: string, path: string, options?: SendOptions): Promise<Reply | "lost" | "unsent">;
  /** Sends once; fails without a response. */
  ask(method: string, path: string, body?: unknown): Promise<Reply>;
  /** Repeats a read until a server returns neither an internal error nor a refusal for lack of capacity. */
  read(path: string, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  close(): Promise<void>;
}

function parse(text: string): Body {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** `urls` returns the present servers, which are used in turn. */
export function createRetryingClient(urls: () => readonly string[], token: string): RetryingClient {
  const agent = new Agent({ headersTimeout: ANSWER_WITHIN_MS, bodyTimeout: ANSWER_WITHIN_MS });
  let turn = 0;

  async function send(
    method: string,
    path: string,
    { body, headers, signal }: SendOptions = {},
  ): Promise<Reply | "lost" | "unsent"> {
    for (;;) {
      if (signal?.aborted) return "unsent";
      const present = urls();
      const url = present[turn++ % present.length];
      try {
        if (url !== undefined) {
          const response = await request(`${url}${path}`, {
            dispatcher: agent,
            method: method as "GET",
            headers: {
              authorization: `Bearer ${token}`,
              ...(body === undefined ? {} : { "content-type": "application/json" }),
              ...headers,
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          });
          const text = await response.body.text();
          return { status: response.statusCode, text, body: parse(text) };
        }
      } catch (error) {
        if (!UNSENT.has((error as { code?: string }).code ?? "")) return "lost";
      }
      await setTimeout(LOOK_AGAIN_MS);
    }
  }

  return {
    send,
    async ask(method, path, body) {
      const reply = await send(method, path, { body });
      if (typeof reply !== "object") throw new Error(`${method} ${path} was not answered: ${reply}`);
      return reply;
    },
    async read(path, headers = {}) {
      const signal = AbortSignal.timeout(READ_WITHIN_MS);
      for (;;) {
        const reply = await send("GET", path, { headers, signal });
        if (typeof reply === "object" && reply.status < 500 && reply.status !== TOO_MANY) return reply;
        if (signal.aborted) throw new Error(`GET ${path} was never answered: ${JSON.stringify(reply)}`);
        await setTimeout(LOOK_AGAIN_MS);
      }
    },
    close: () => agent.close(),
  };
}
