// Sends the test of a webhook that a call asks for: one attempt at once, stored in the log, and a report on it. The call that is repeated
// with its idempotency key gets the report again, and nothing is sent.
import type { FastifyBaseLogger } from "fastify";
import { TEST_NAME } from "../../platform/kernel/clients/public-webhook-names.ts";
import type { ChangeRunner } from "../../platform/kernel/internal-changes.ts";
import type { Keyring } from "../../platform/kernel/keyring.ts";
import { ApiError, notFound } from "../../platform/kernel/errors.ts";
import { createKeyedLimiter } from "../../platform/kernel/scheduling/keyed-limiter.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { listAttempts } from "../queue/log-store.ts";
import { packBatch } from "../queue/queue.ts";
import type { AttemptOutcome, queueChanges } from "../queue/queue.ts";
import type { WebhookKey } from "../queue/vocabulary.ts";
import { MAX_TESTS } from "../webhooks/contract.ts";
import { publicAttempt } from "../webhooks/deliveries/delivery-view.ts";
import { composeBody } from "../webhooks/message-body.ts";
import { messageId } from "../webhooks/message-id.ts";
import { openTarget } from "../webhooks/target.ts";
import { logUnreachable } from "./attempt-runner.ts";
import { makeAttempt, unsentOutcome } from "./attempt.ts";
import type { AttemptContext } from "./attempt.ts";

export interface TestReport extends ReturnType<typeof publicAttempt> {
  readonly deliveryId: string;
  readonly delivered: boolean;
  readonly requestBody: string;
}

/** The delivery of a test. */
export interface TestRequest extends WebhookKey {
  readonly sequence: number;
  readonly createdAt: number;
  /** The caller administers the instance. */
  readonly isOperator: boolean;
}

const LIMITS = { each: MAX_TESTS, all: 128 } as const;
const RETRY_AFTER_S = 5;

function tooMany(limit: keyof typeof LIMITS): ApiError {
  const expected = limit === "each" ? `an owner may have ${LIMITS.each}` : "this server has as many as it accepts";
  return new ApiError("too_many_requests", `Too many tests at a time: ${expected}`, { retryAfter: RETRY_AFTER_S });
}

interface TestStore {
  readonly reader: Tx;
  readonly keyring: Keyring;
  readonly changes: Pick<ChangeRunner<typeof queueChanges>, "storeOutcomes">;
}

/**
 * Returns what sends tests. It throws a 404 for a webhook that was deleted meanwhile, and a 429 when too many tests are in flight; the
 * log shows such a test as failed.
 */
export function createTestSender(
  { reader, keyring, changes }: TestStore,
  context: AttemptContext & { readonly logger: FastifyBaseLogger },
): (test: TestRequest) => Promise<TestReport> {
  const { logger, clock } = context;
  const limiter = createKeyedLimiter(LIMITS, tooMany);

  async function store(outcome: AttemptOutcome): Promise<void> {
    await changes.storeOutcomes(packBatch({ outcomes: [outcome], failing: [], releases: [] }), clock());
  }

  async function attempt(test: TestRequest): Promise<TestReport> {
    const { isOperator, createdAt, ...key } = test;
    const { ownerId, webhookId, sequence } = key;
    const target = await openTarget(reader, keyring, new Map(), { ownerId, webhookId });
    if (!target) throw notFound("Webhook");
    const event = { sequence, type: TEST_NAME, createdAt, payload: "{}", userId: null };
    const find = async () => (await listAttempts(reader, { ...key, limit: 1 }))[0];
    if (!(await find())) {
      const delivery = { ...event, attempts: 0, tries: 0, dueAt: null, requestId: null, isLong: 0 };
      const made = await makeAttempt(target, delivery, context);
      if (!made) throw new ApiError("shutting_down", "The server stops; nothing is known of the test");
      if (made.failure) logUnreachable(logger, { ownerId, webhookId }, made.failure);
      const state = made.outcome.state === "delivered" ? "delivered" : "failed";
      await store({ ...made.outcome, state, dueAt: null });
    }
    const stored = await find();
    if (!stored) throw notFound("Webhook");
    const { status } = stored;
    return {
      deliveryId: messageId(webhookId, sequence),
      delivered: status !== null && status >= 200 && status < 300,
      requestBody: composeBody(target, event),
      ...publicAttempt(stored, isOperator, target.logsResponses),
    };
  }

  return async (test) => {
    let release;
    try {
      release = limiter.take(test.ownerId);
      return await attempt(test);
    } catch (error) {
      const message = error instanceof ApiError ? error.message : "the server failed";
      await store({ ...unsentOutcome(test, clock()), attempts: 0, tries: 1, errorStage: "unsent", error: message });
      throw error;
    } finally {
      release?.();
    }
  };
}
