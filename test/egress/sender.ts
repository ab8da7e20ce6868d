// Egress as tests use it, and the outcome of a request in a word.
import assert from "node:assert/strict";
import { after } from "node:test";
import { openEgress } from "../../src/platform/egress/egress.ts";
import type { Egress, EgressOptions, EgressRequest } from "../../src/platform/egress/egress.ts";
import type { EgressResponse, EgressOutcome } from "../../src/platform/egress/egress-exchange.ts";

export interface Sender {
  send(to: { readonly url: string }, more?: Partial<EgressRequest>, signal?: AbortSignal): Promise<EgressOutcome>;
  readonly close: Egress["close"];
}

/** Opens egress that reaches 127.0.0.1 and nothing else. It is closed after the file's tests. */
export function openSender(options: Partial<EgressOptions> = {}): Sender {
  const rules = { allow: ["127.0.0.1/32"], ports: [[1_024, 65_535]] } as const;
  const { send, close } = openEgress({ rules, dnsServers: null, ...options });
  after(close);
  return {
    send: async ({ url }, more = {}, signal) => await send({ url, headers: {}, body: "{}", ...more }, signal),
    close,
  };
}

export function responseOf(outcome: EgressOutcome): EgressResponse {
  assert.ok("response" in outcome, JSON.stringify(outcome));
  return outcome.response;
}

/** The status, or the stage with the message. */
export function describeOutcome(outcome: EgressOutcome): string {
  return "response" in outcome ? String(outcome.response.status) : `${outcome.error.stage}: ${outcome.error.message}`;
}
