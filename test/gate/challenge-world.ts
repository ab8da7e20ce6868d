// Challenges with a clock that tests move, the requests of a browser, and a solver: the one of the page.
import assert from "node:assert/strict";
import { runInNewContext } from "node:vm";
import { SOLVER_SCRIPT } from "../../src/gate/challenge/browser-script.ts";
import { createChallenges } from "../../src/gate/challenge/challenges.ts";
import type { Challenges } from "../../src/gate/challenge/challenges.ts";
import type { ChallengeScope } from "../../src/gate/challenge/keys.ts";
import { BASE_PATH } from "../../src/gate/challenge/routes.ts";
import { createSpentSolutions } from "../../src/gate/challenge/spent-solutions.ts";
import type { SpentSolutions } from "../../src/gate/challenge/spent-solutions.ts";
import { createWaiting } from "../../src/gate/challenge/waiting.ts";
import { createCounting } from "../../src/gate/counters/counting.ts";
import type { GateRequest, GateResponse } from "../../src/gate/message.ts";
import { DAY_MS } from "../../src/platform/kernel/scheduling/clock.ts";

export const REFERENCE = { id: "dec_1", rule: "Login" };

/** Noon of day 20 000. */
export const NOON = 20_000.5 * DAY_MS;

export type RequestParts = Partial<Omit<GateRequest, "headers">> & { readonly headers?: GateRequest["headers"] };

/** A navigation of a browser. */
export function navigate({ headers = {}, ...parts }: RequestParts = {}): GateRequest {
  return {
    method: "GET",
    scheme: "https",
    host: "shop.example",
    target: "/cart?item=1",
    ip: "192.0.2.1",
    ...parts,
    headers: {
      accept: "text/html,application/xhtml+xml,*/*;q=0.8",
      "accept-language": "en",
      "user-agent": "Mozilla/5.0",
      "sec-fetch-dest": "document",
      "sec-fetch-mode": "navigate",
      "sec-fetch-site": "same-origin",
      ...headers,
    },
  };
}

/** Keys of yesterday to a week from now, as of day 20 000. */
export function createScope(parts: Partial<ChallengeScope> = {}): ChallengeScope {
  const keys = Array.from({ length: 9 }, (_, at) => ({
    day: 19_999 + at,
    key: Buffer.alloc(32, at + 1).toString("base64url"),
  }));
  const attackMode = { isEnabled: false, activeUntil: null, since: null };
  return { ownerId: "team_1", projectId: "prj_1", keys, attackMode, ...parts };
}

interface Solver {
  createSolver(token: string, difficulty: number): (hashes: number) => string | null;
  /** Eight words of 32 bits, signed. */
  sha256(ascii: string): Int32Array;
}

export const solver = runInNewContext(`${SOLVER_SCRIPT}; ({ createSolver, sha256 })`) as Solver;

/** The solution, and about how many hashes it took. */
export function solveCounting(
  token: string,
  difficulty: number,
): { readonly solution: string; readonly hashes: number } {
  const step = solver.createSolver(token, difficulty);
  for (let hashes = 1_000; ; hashes += 1_000) {
    const solution = step(1_000);
    if (solution !== null) return { solution, hashes };
  }
}

export const textOf = ({ body }: GateResponse): string => String(body ?? "");

/** The value of an attribute of the page, without entities. */
export function attributeOf(response: GateResponse, name: string): string {
  const value = new RegExp(`${name}="([^"]*)"`).exec(textOf(response))?.[1];
  assert.ok(value !== undefined, `${name} in ${textOf(response)}`);
  return value.replaceAll("&amp;", "&");
}

export const problemOf = (response: GateResponse) => JSON.parse(textOf(response)) as Readonly<Record<string, string>>;

/** `name=value` of the cookie that a response sets. */
export const cookieOf = ({ headers }: GateResponse): string => String(headers["set-cookie"]).split(";", 1)[0] ?? "";

export interface ChallengeWorld {
  readonly challenges: Challenges;
  readonly scope: ChallengeScope;
  readonly clock: { now: number };
  /** A challenge of the page in place of what was asked for, with its solution. */
  issue(request?: GateRequest, scope?: ChallengeScope): { readonly token: string; readonly solution: string };
  solve(fields: Readonly<Record<string, string>>, parts?: RequestParts, scope?: ChallengeScope): Promise<GateResponse>;
  /** Solves a challenge; returns its cookie. */
  pass(parts?: RequestParts): Promise<string>;
  get(target: string, parts?: RequestParts): Promise<GateResponse>;
}

export function createChallengeWorld({
  load = 0,
  spent,
}: { load?: number; spent?: SpentSolutions } = {}): ChallengeWorld {
  const clock = { now: NOON };
  const scope = createScope();
  const challenges = createChallenges({
    clock: () => clock.now,
    load: () => load,
    spent: spent ?? createSpentSolutions({ clock: () => clock.now }),
    waiting: createWaiting(createCounting(null), () => clock.now),
  });
  const world: ChallengeWorld = {
    challenges,
    scope,
    clock,
    issue(request = navigate(), issued = scope) {
      const page = challenges.respond(request, issued, REFERENCE);
      const token = attributeOf(page, "data-token");
      return { token, solution: solveCounting(token, Number(attributeOf(page, "data-difficulty"))).solution };
    },
    async solve(fields, parts = {}, other = scope) {
      const request = navigate({ ...parts, method: "POST", target: `${BASE_PATH}/solve` });
      return await challenges.handle(request, String(new URLSearchParams(fields)), other);
    },
    async pass(parts = {}) {
      const response = await world.solve(world.issue(navigate(parts)), parts);
      assert.equal(response.status, 204);
      return cookieOf(response);
    },
    get: async (target, parts = {}) => await challenges.handle(navigate({ ...parts, target }), "", scope),
  };
  return world;
}
