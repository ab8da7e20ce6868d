// Publishing: other parts of a platform record events under public names. Types that Reeve records itself are refused, so
// an event of such a type always comes from Reeve.
import type { Call, Handler } from "../../platform/kernel/contract.ts";
import { fieldError } from "../../platform/kernel/errors.ts";
import type { ApiError } from "../../platform/kernel/errors.ts";
import { PUBLISHABLE_NAMES, TEST_NAME } from "../../platform/kernel/clients/public-webhook-names.ts";
import { MAX_PAYLOAD_BYTES } from "./contract.ts";
import type { eventsContract } from "./contract.ts";
import { emit } from "./emit.ts";
import { publicEvent } from "./event.ts";
import { isPublishable } from "./published-types.ts";
import type { PublishedType } from "./published-types.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { canonicalName, unknownName } from "./type-pattern.ts";
import { VOCABULARY } from "./vocabulary.ts";

const MAX_FIELD_LENGTH = 200;

function invalid(field: string, problem: string): ApiError {
  return fieldError("bad_request", `body.${field}`, problem);
}

function readType(given: string): PublishedType {
  const name = canonicalName(given);
  if (isPublishable(name)) return name;
  if (name === TEST_NAME) throw invalid("type", `only a test of a webhook sends "${name}"`);
  if (VOCABULARY.has(name))
    throw invalid("type", `"${name}" is what Reeve records itself; expected a publishable type`);
  throw invalid(
    "type",
    `${unknownName(given, PUBLISHABLE_NAMES)}; those that are \`publishable\` can be published, and there are none of your own`,
  );
}

/** The JSON parser rounds larger integers, and makes Infinity of numbers that a double cannot hold. RFC 8259, section 6 */
function refuseRounded(value: unknown, field: string): void {
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw invalid(
      field.slice(0, MAX_FIELD_LENGTH),
      `expected numbers up to ${Number.MAX_SAFE_INTEGER}; send larger ones as text`,
    );
  }
  if (typeof value !== "object" || value === null) return;
  const isList = Array.isArray(value);
  for (const [key, member] of Object.entries(value)) {
    refuseRounded(member, isList ? `${field}[${key}]` : `${field}.${key}`);
  }
}

function refuseTooLarge(payload: object): void {
  const size = Buffer.byteLength(JSON.stringify(payload));
  if (size > MAX_PAYLOAD_BYTES) {
    throw invalid("payload", `expected at most ${MAX_PAYLOAD_BYTES} bytes of JSON, got ${size}`);
  }
}

/** Begins the project that an event names; projects are a later resource's. */
export type BeginProject = (
  tx: Tx,
  call: Pick<Call, "scope" | "now" | "instance">,
  projectId: string,
) => Promise<unknown>;

export function createPublish(beginProject: BeginProject): Handler<typeof eventsContract.publishEvent> {
  return async (tx, call) => {
    const { ownerId } = call.scope;
    const { payload = {}, projectId = null } = call.body;
    const type = readType(call.body.type);
    refuseTooLarge(payload);
    refuseRounded(payload, "payload");
    if (projectId !== null) await beginProject(tx, call, projectId);
    const { entityId = projectId ?? ownerId, text = `published ${type}` } = call.body;
    return publicEvent(await emit(tx, call, { type, ownerId, entityId, text, payload, projectId }), true);
  };
}
