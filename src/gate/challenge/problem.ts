// Refusals for programs: problem documents. RFC 9457
import type { GateResponse } from "../message.ts";
import { BASE_PATH } from "./routes.ts";

const TITLES = {
  challenge_required: "A browser has to pass a check first",
  no_pass: "The request has no valid pass",
  malformed: "The request is malformed",
  forged: "The challenge was not issued here",
  expired: "The challenge has expired",
  wrong: "The solution is wrong",
  spent: "The challenge was used before",
  too_large: "The request is too large",
  not_found: "There is no such page",
  wrong_method: "The method is not allowed",
  no_key: "No challenge can be issued",
} as const;

export type ProblemCode = keyof typeof TITLES;

const STATUSES: Readonly<Partial<Record<ProblemCode, number>>> = {
  malformed: 400,
  too_large: 413,
  not_found: 404,
  wrong_method: 405,
  no_key: 503,
};

export interface ProblemDetails {
  readonly detail: string;
  readonly instance?: string;
  readonly members?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export function createProblem(code: ProblemCode, { detail, instance, members, headers }: ProblemDetails): GateResponse {
  const status = STATUSES[code] ?? 403;
  const place = instance === undefined ? {} : { instance };
  return {
    status,
    headers: {
      "content-type": "application/problem+json; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...headers,
    },
    body: JSON.stringify({ type: BASE_PATH, title: TITLES[code], status, detail, ...place, code, ...members }),
  };
}
