// Sends the test of a webhook that a call asks for: one signed request at once, and a report on it. Nothing is stored.
import type { FastifyBaseLogger } from "fastify";
import type { Keyring } from "../../platform/kernel/keyring.ts";
import { ApiError, notFound } from "../../platform/kernel/errors.ts";
import { randomBase62 } from "../../platform/kernel/ids.ts";
import { createKeyedLimiter } from "../../platform/kernel/scheduling/keyed-limiter.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { MAX_TESTS } from "../webhooks/contract.ts";
import { shownFailure } from "../webhooks/deliveries/delivery-view.ts";
import { openTarget } from "../webhooks/target.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import { logUnreachable } from "./attempt-runner.ts";
import { composeTest, loggedHeaders, loggedResponse } from "./webhook-message.ts";
import type { SendContext } from "./webhook-message.ts";

export interface TestReport {
  readonly delivered: boolean;
  readonly status: number | null;
  readonly durationMs: number;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
  readonly isTruncated: boolean;
  readonly error: { readonly stage: string; readonly message: string } | null;
}

export interface TestRequest {
  readonly ownerId: string;
  readonly webhookId: string;
  /** The caller administers the instance. */
  readonly isOperator: boolean;
}

const LIMITS = { each: MAX_TESTS, all: 128 } as const;
const RETRY_AFTER_S = 5;

function tooMany(limit: keyof typeof LIMITS): ApiError {
  const expected = limit === "each" ? `an owner may have ${LIMITS.each}` : "this server has as many as it accepts";
  return new ApiError("too_many_requests", `Too many tests at a time: ${expected}`, { retryAfter: RETRY_AFTER_S });
}

export interface TestSender {
  /** Throws a 404 for a webhook that was deleted meanwhile, and a 429 when too many tests are in flight. */
  send(test: TestRequest, context: SendContext): Promise<TestReport>;
}

export function createTestSender(
  { reader, keyring }: { readonly reader: Tx; readonly keyring: Keyring },
  { egress, logger }: { readonly egress: Egress; readonly logger: FastifyBaseLogger },
): TestSender {
  const limiter = createKeyedLimiter(LIMITS, tooMany);

  async function send({ isOperator, ...webhook }: TestRequest, context: SendContext): Promise<TestReport> {
    const target = await openTarget(reader, keyring, new Map(), webhook);
    if (!target) throw notFound("Webhook");
    const message = composeTest(target, `msg_test_${randomBase62(24)}`, context);
    const { url } = target;
    const outcome = await egress.send({ url, headers: message.headers, body: message.body });
    const response = "response" in outcome ? outcome.response : undefined;
    const failure = "error" in outcome ? outcome.error : null;
    if (failure) logUnreachable(logger, webhook, failure);
    return {
      delivered: response !== undefined && response.status >= 200 && response.status < 300,
      status: response?.status ?? null,
      durationMs: Math.round(outcome.durationMs),
      requestHeaders: loggedHeaders(message, target),
      requestBody: message.body.toString(),
      ...loggedResponse(response, target),
      error: failure && shownFailure(failure, isOperator),
    };
  }

  return {
    async send(test, context) {
      const release = limiter.take(test.ownerId);
      try {
        return await send(test, context);
      } finally {
        release();
      }
    },
  };
}
