// Makes the sample of a decision: bounded, and without credentials.
import type { Cause, Step } from "../../firewall/evaluator/decision.ts";
import { redactStep } from "../../firewall/evaluator/redact-step.ts";
import { hostOf } from "../../firewall/evaluator/request/url.ts";
import { fitSteps } from "../../firewall/evaluator/short-steps.ts";
import { createRedactor } from "../../platform/kernel/text/redact.ts";
import type { Redactor } from "../../platform/kernel/text/redact.ts";
import type { DecisionSample } from "../bundle/control-plane.ts";
import { clientHeaders } from "../requests/request-attributes.ts";
import { isLetThrough } from "../decision.ts";
import type { GateDecision } from "../decision.ts";
import { headerOf } from "../message.ts";
import type { GateRequest } from "../message.ts";

const MAX_HEADERS = 40;
const MAX_HEADER_NAME = 100;
const MAX_HEADER_VALUE = 300;
/** Of all names and values. */
const MAX_HEADERS_LENGTH = 3_000;
const MAX_TARGET = 1_000;
/** Bytes, as JSON. */
const MAX_STEPS_BYTES = 6_000;
const MAX_LOGGED = 10;
const MAX_NAME = 100;
const MAX_DETAIL = 200;
/** What is looked at of a text before it is cut: a credential is to be seen whole. */
const MAX_READ = 4_096;

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Text that every store takes: a client may send NUL, and a cut may halve a character. Otherwise one refuses the whole report. */
function storable<T>(value: T): T {
  const clean = (_key: string, member: unknown): unknown =>
    typeof member === "string" ? member.toWellFormed().replaceAll("\0", "\uFFFD") : member;
  return JSON.parse(JSON.stringify(value, clean)) as T;
}

function shortCause({ phase, id, name }: Cause): Cause {
  return { phase, id: id === null ? null : cut(id, MAX_NAME), name: name === null ? null : cut(name, MAX_NAME) };
}

/** Headers that the sample shows elsewhere. */
const SHOWN = new Set(["host", "user-agent"]);

function sampleHeaders(request: GateRequest, redactor: Redactor): DecisionSample["headers"] {
  const found: { name: string; value: string }[] = [];
  let length = 0;
  for (const [name, values] of clientHeaders(request)) {
    for (const readings of values) {
      // All are read, so that what they hold is found in the steps.
      const [shown = ""] = readings.map((value) => redactor.header(name, value.slice(0, MAX_READ)));
      const header = { name: cut(name, MAX_HEADER_NAME), value: cut(shown, MAX_HEADER_VALUE) };
      length += header.name.length + header.value.length;
      if (!SHOWN.has(name) && found.length < MAX_HEADERS && length <= MAX_HEADERS_LENGTH) found.push(header);
    }
  }
  return found;
}

/** The address of a client that was let through without a match is of no use. */
function isAddressShown({ action, wouldBe, logged }: GateDecision): boolean {
  return action !== "allow" || wouldBe !== null || logged.length > 0;
}

export function sampleOf(
  request: GateRequest,
  decision: GateDecision,
  at: number,
  steps: readonly Step[] | null,
): DecisionSample {
  const { id, action, status, wouldBe, reason, detail, version, by, logged } = decision;
  const redactor = createRedactor();
  const headers = sampleHeaders(request, redactor);
  const target = cut(redactor.target(request.target.slice(0, MAX_READ)), MAX_TARGET);
  const userAgent = headerOf(request, "user-agent");
  const fitted = steps === null ? null : fitSteps(steps, MAX_STEPS_BYTES, (step) => redactStep(step, redactor));
  return storable({
    id,
    at,
    action,
    status: isLetThrough(decision) ? null : status,
    wouldBe,
    reason,
    version,
    by: by && shortCause(by),
    method: request.method,
    scheme: request.scheme,
    host: cut(hostOf(request.host) ?? request.host, 255),
    target,
    ip: isAddressShown(decision) ? (request.ip ?? null) : null,
    userAgent: userAgent === undefined ? null : cut(redactor.text(userAgent.slice(0, MAX_READ)), MAX_HEADER_VALUE),
    headers,
    ...(detail !== undefined && { detail: cut(redactor.text(detail), MAX_DETAIL) }),
    logged: logged.slice(0, MAX_LOGGED).map(shortCause),
    steps: fitted?.steps ?? null,
    omittedSteps: fitted?.omitted ?? 0,
  });
}
