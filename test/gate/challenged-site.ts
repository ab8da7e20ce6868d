// A site behind the challenge, and nothing else of the gate: every request without a pass is challenged.
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { text } from "node:stream/consumers";
import { createChallenges } from "../../src/gate/challenge/challenges.ts";
import { BASE_PATH } from "../../src/gate/challenge/routes.ts";
import { createSpentSolutions } from "../../src/gate/challenge/spent-solutions.ts";
import { createWaiting } from "../../src/gate/challenge/waiting.ts";
import { createCounting } from "../../src/gate/counters/counting.ts";
import type { GateRequest, GateResponse } from "../../src/gate/message.ts";
import { DAY_MS } from "../../src/platform/kernel/scheduling/clock.ts";

export interface SiteOptions {
  /** How busy the gate is: 0 to 1. */
  readonly load?: number;
  /** Answers as if the browser had sent no cookies. */
  readonly losesCookies?: boolean;
}

/** What reached the application. */
interface Arrival {
  readonly method: string;
  readonly target: string;
  readonly body: string;
}

export interface ChallengedSite {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  /** The paths of all requests, in their order. */
  readonly targets: readonly string[];
}

function readRequest(request: IncomingMessage, losesCookies: boolean): GateRequest {
  const { cookie, ...headers } = request.headers;
  return {
    method: request.method ?? "",
    scheme: "http",
    host: request.headers.host ?? "",
    target: request.url ?? "",
    headers: losesCookies ? headers : { ...headers, cookie },
    ip: request.socket.remoteAddress,
  };
}

function send(response: ServerResponse, { status, headers, body }: GateResponse): void {
  response.writeHead(status, headers as Record<string, string | string[]>).end(body);
}

const application = (method: string, body: string): GateResponse => ({
  status: 200,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: `<!doctype html><html lang="en"><title>Shop</title><h1>The application</h1><p id="method">${method}</p><pre>${Buffer.from(body).toString("hex")}</pre></html>`,
});

/** The form of the application; for everybody, so that tests can fill it in first. */
const FORM: GateResponse = {
  status: 200,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: `<!doctype html><html lang="en"><title>Form</title><form method="post" action="/orders?draft=1">
    <input name="submit" value="&lt;b&gt;&quot;'&amp;"><textarea name="note">one\ntwo ü</textarea><button>Order</button></form></html>`,
};

/** Ends after the tests of the file. */
export async function startChallengedSite({
  load = 0,
  losesCookies = false,
}: SiteOptions = {}): Promise<ChallengedSite> {
  const challenges = createChallenges({
    clock: Date.now,
    load: () => load,
    spent: createSpentSolutions({ clock: Date.now }),
    waiting: createWaiting(createCounting(null), Date.now),
  });
  const today = Math.floor(Date.now() / DAY_MS);
  const keys = [-1, 0, 1].map((days) => ({
    day: today + days,
    key: Buffer.alloc(32, days + 2).toString("base64url"),
  }));
  const attackMode = { isEnabled: false, activeUntil: null };
  const scope = { ownerId: "team_1", projectId: "prj_1", keys, attackMode };
  const reference = { id: "dec_7Yq2LwZ0", rule: "Slow down <crawlers>" };
  const arrivals: Arrival[] = [];
  const targets: string[] = [];

  async function answer(message: IncomingMessage): Promise<GateResponse> {
    const request = readRequest(message, losesCookies);
    const body = await text(message);
    targets.push(request.target);
    if (request.target.startsWith(BASE_PATH)) return await challenges.handle(request, body, scope);
    if (request.target === "/form") return FORM;
    if (challenges.hasPass(request, scope)) {
      arrivals.push({ method: request.method, target: request.target, body });
      return application(request.method, body);
    }
    return challenges.respond(request, scope, reference, { body });
  }

  const server = createServer((message, response) => {
    answer(message).then(
      (sent) => send(response, sent),
      (error: unknown) => response.destroy(error as Error),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrivals, targets };
}
