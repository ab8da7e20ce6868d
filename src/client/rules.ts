// What is refused of what the client is given, before anything is sent.
import { anything, authorizationOf, requireCount, requireDuration, requireFlag } from "./arguments.ts";
import {
  requireFunction,
  requireHeaders,
  requireObject,
  requireSignal,
  requireTeam,
  requireText,
  rule,
} from "./arguments.ts";
import type { Rules } from "./arguments.ts";
import type { ClientSettings, LineOptions, Query, RawRequest, TailOptions } from "./settings.ts";
import type { CallOptions } from "./transport.ts";

export interface LooseInput {
  readonly params?: Query;
  readonly query?: Query;
  readonly body?: unknown;
  readonly ifMatch?: string | null;
  readonly ifNoneMatch?: "*" | null;
}

export const CALL_OPTIONS: Rules<CallOptions> = {
  signal: requireSignal,
  timeoutMs: requireDuration,
  retries: requireCount,
  idempotencyKey: requireText,
};
export const LINE_OPTIONS: Rules<LineOptions> = {
  ...CALL_OPTIONS,
  accept: (argument, value) => requireText(argument, value ?? null),
  onOpen: requireFunction,
  silenceMs: requireDuration,
};
export const TAIL_OPTIONS: Rules<TailOptions> = { ...CALL_OPTIONS, onBreak: requireFunction };
export const RAW_REQUEST: Rules<RawRequest> = {
  ...CALL_OPTIONS,
  query: anything,
  body: anything,
  form: requireObject,
  headers: requireHeaders,
  isRepeatable: requireFlag,
  isStream: requireFlag,
};
export const SETTINGS: Rules<ClientSettings> = {
  server: anything,
  token: (_argument, value) => void (value === undefined || typeof value === "function" || authorizationOf(value)),
  team: requireTeam,
  timeoutMs: requireDuration,
  retries: requireCount,
  userAgent: requireText,
  fetch: requireFunction,
  onAttempt: requireFunction,
};
export const INPUT: Rules<LooseInput> = {
  params: requireObject,
  query: requireObject,
  body: anything,
  ifMatch: (argument, value) => requireText(argument, value ?? undefined),
  ifNoneMatch: rule((value) => value === null || value === "*", "*, or null"),
};
