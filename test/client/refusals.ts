// What tests of refusals share: a client that must send nothing, one that keeps what it sends, and the message of a TypeError.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { createClient } from "../../src/client/client.ts";
import type { Client } from "../../src/client/client.ts";
import type { ClientSettings } from "../../src/client/settings.ts";

export const server = "http://127.0.0.1:9";

function unsent(): never {
  assert.fail("expected that nothing is sent");
}

/** A client whose calls fail when they send something. */
export function create(settings: unknown = { server }): Client {
  return createClient({ fetch: unsent, retries: 0, ...(settings as ClientSettings) });
}

/** The TypeError's message, of a function that throws or rejects. */
export async function refusalOf(work: () => unknown): Promise<string> {
  const error: unknown = await Promise.resolve()
    .then(work)
    .then(
      () => assert.fail("expected a refusal"),
      (failed: unknown) => failed,
    );
  assert.ok(error instanceof TypeError, inspect(error));
  return inspect(error);
}

export interface Sent {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Headers;
  readonly body: string;
}

/** A client, and the requests that it has sent: each is answered with an empty page. */
export function record(settings: Partial<ClientSettings> = {}): { readonly client: Client; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch: ClientSettings["fetch"] = async (url, { method = "", headers, body }) => {
    sent.push({
      method,
      target: url.pathname + url.search,
      headers: new Headers(headers),
      body: typeof body === "string" ? body : new URLSearchParams(body as URLSearchParams | undefined).toString(),
    });
    return Response.json({ secrets: [] });
  };
  return { client: createClient({ server, fetch, ...settings }), sent };
}
