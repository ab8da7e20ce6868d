// The sender of webhook requests as tests use it, and what came of a request in a word.
import assert from "node:assert/strict";
import { after } from "node:test";
import { openEgress } from "../../src/delivery/egress/egress.ts";
import type { Egress, EgressOptions, EgressRequest } from "../../src/delivery/egress/egress.ts";
import type { EgressAnswer, EgressOutcome } from "../../src/delivery/egress/egress-exchange.ts";

export interface Sender {
  send(to: { readonly url: string }, more?: Partial<EgressRequest>, signal?: AbortSignal): Promise<EgressOutcome>;
  readonly close: Egress["close"];
}

/** Reaches 127.0.0.1 and nothing else; closed when the file's tests are done. */
export function openSender(options: Partial<EgressOptions> = {}): Sender {
  const rules = { allow: ["127.0.0.1/32"], ports: [[1_024, 65_535]] } as const;
  const { send, close } = openEgress({ rules, dnsServers: null, ...options });
  after(close);
  return {
    send: async ({ url }, more = {}, signal) => await send({ url, headers: {}, body: "{}", ...more }, signal),
    close,
  };
}

export function answerOf(outcome: EgressOutcome): EgressAnswer {
  assert.ok("answer" in outcome, JSON.stringify(outcome));
  return outcome.answer;
}

/** The status, or the stage with the message. */
export function told(outcome: EgressOutcome): string {
  return "answer" in outcome ? String(outcome.answer.status) : `${outcome.error.stage}: ${outcome.error.message}`;
}
