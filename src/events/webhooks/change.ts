// Plans a change of a webhook from the body of a call: the new row, and the secrets to seal or delete.
import type { Static } from "typebox";
import { fieldError } from "../../platform/kernel/errors.ts";
import { areResponsesLogged, readHeaders } from "./rules.ts";
import { createKeyPair } from "./secrets.ts";
import type { SecretKind } from "./secrets.ts";
import type { WebhookSettings } from "./store.ts";
import { DEFAULTS } from "./webhook-schema.ts";
import type { WebhookChange } from "./webhook-schema.ts";

export type RequestedChange = Static<typeof WebhookChange>;

export interface PlannedChange {
  readonly settings: WebhookSettings;
  /** Values to seal as the versions after the last one before the change; `settings.last_secret` is the version of the last value. */
  readonly secrets: readonly { readonly kind: SecretKind; readonly value: string }[];
  /** Kinds of sealed values to delete. */
  readonly deleted: readonly SecretKind[];
}

/** The settings that a new webhook starts from. */
export const BLANK: WebhookSettings = {
  url: "",
  events: "[]",
  projectIds: null,
  description: null,
  ordering: DEFAULTS.ordering,
  concurrency: DEFAULTS.concurrency,
  rateLimit: null,
  isActive: 1,
  inactiveReason: null,
  inactiveSince: null,
  headerNames: "[]",
  logsResponses: null,
  publicKey: null,
  lastSecret: 0,
};

/** The given list as JSON, null for null, and the value before where none was given. */
function json(given: readonly string[] | null | undefined, before: string | null): string | null {
  if (given === undefined) return before;
  return given === null ? null : JSON.stringify([...new Set(given)]);
}

function activity(before: WebhookSettings, active: boolean | undefined, now: number) {
  const { isActive, inactiveReason, inactiveSince } = before;
  if (active === undefined || active === (isActive === 1)) return { isActive, inactiveReason, inactiveSince };
  return active
    ? { isActive: 1, inactiveReason: null, inactiveSince: null }
    : { isActive: 0, inactiveReason: "request", inactiveSince: now };
}

/** The values of headers are never shown, and a caller who may change the URL could have them sent to a server of their own. */
function refuseMovingHeaders(before: WebhookSettings, { url = before.url, headers }: RequestedChange): void {
  if (url === before.url || headers !== undefined || before.headerNames === "[]") return;
  throw fieldError(
    "invalid_webhook",
    "body.headers",
    "expected with another url, since their values were meant for the one before; null sends none",
  );
}

/** `change` has passed its schema and the checks of its URL and events. The headers are checked here. */
export function planChange(before: WebhookSettings, change: RequestedChange, now: number): PlannedChange {
  refuseMovingHeaders(before, change);
  const secrets: { kind: SecretKind; value: string }[] = [];
  const deleted: SecretKind[] = [];
  let { headerNames, publicKey } = before;
  if (change.headers !== undefined) {
    const headers = readHeaders(change.headers ?? {});
    const names = Object.keys(headers);
    if (headerNames !== "[]") deleted.push("headers");
    if (names.length > 0) secrets.push({ kind: "headers", value: JSON.stringify(headers) });
    headerNames = JSON.stringify(names);
  }
  if (change.keyPair === true && publicKey === null) {
    const pair = createKeyPair();
    secrets.push({ kind: "key", value: pair.privateKey });
    publicKey = pair.publicKey;
  }
  if (change.keyPair === false && publicKey !== null) {
    deleted.push("key");
    publicKey = null;
  }
  const settings: WebhookSettings = {
    url: change.url ?? before.url,
    events: json(change.events, before.events) as string,
    projectIds: json(change.projectIds, before.projectIds),
    description: change.description === undefined ? before.description : change.description,
    ordering: change.ordering ?? before.ordering,
    concurrency: change.concurrency ?? before.concurrency,
    rateLimit: change.rateLimit === undefined ? before.rateLimit : change.rateLimit,
    ...activity(before, change.active, now),
    headerNames,
    logsResponses: change.logResponses === undefined ? before.logsResponses : Number(change.logResponses),
    publicKey,
    lastSecret: before.lastSecret + secrets.length,
  };
  return { settings, secrets, deleted };
}

/**
 * Whether a change leads data to another place, other data, or data again. Headers are part of the place: a receiver that many share
 * decides by them whose data it is. What a receiver responds is data too.
 */
export function sendsMore(before: WebhookSettings, { settings: after, secrets, deleted }: PlannedChange): boolean {
  const isSame = (["url", "events", "projectIds"] as const).every((name) => before[name] === after[name]);
  if (!isSame || after.isActive > before.isActive) return true;
  if (deleted.includes("headers") || secrets.some(({ kind }) => kind === "headers")) return true;
  return areResponsesLogged(after) && !areResponsesLogged(before);
}

/** Whether a planned change leaves everything as it is. */
export function isNoChange(before: WebhookSettings, { settings, secrets, deleted }: PlannedChange): boolean {
  if (secrets.length > 0 || deleted.length > 0) return false;
  return (Object.keys(settings) as (keyof WebhookSettings)[]).every((name) => settings[name] === before[name]);
}
