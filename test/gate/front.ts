// What stands between a gate and its control plane, or in its place: it passes everything on, and may answer for bundles itself.
import { request } from "node:http";
import type { RequestListener } from "node:http";
import { listenOn } from "./gate-world.ts";
import type { GateWorld } from "./gate-world.ts";

export interface Front {
  readonly url: string;
  /** Answers requests for bundles from now on; null: the control plane does. */
  answer: RequestListener | null;
  /** Requests for bundles so far. */
  readonly asked: number;
}

export async function startFront({ port }: GateWorld): Promise<Front> {
  const front = { url: "", answer: null as RequestListener | null, asked: 0 };
  const { url } = await listenOn((message, res) => {
    if (message.url?.startsWith("/v1/gate/bundle")) {
      front.asked++;
      if (front.answer) return front.answer(message, res);
    }
    const { method, url: path, headers } = message;
    const passed = request({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      res.flushHeaders();
      answer.pipe(res);
    });
    passed.on("error", () => res.destroy());
    res.on("close", () => passed.destroy());
    message.pipe(passed);
  });
  front.url = url;
  return front;
}

/** An answer with a status, headers and a body. */
export const answerWith =
  (status: number, body = "", headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_message, res) =>
    void res.writeHead(status, headers).end(body);

const HTML = { "content-type": "text/html; charset=utf-8" };
const JSON_TYPE = { "content-type": "application/json" };

/** What answers in place of a control plane, and is none: only an operator repairs that. */
export const FOREIGN: Readonly<Record<string, RequestListener>> = {
  "a page": answerWith(200, "<!doctype html><title>Welcome</title>", HTML),
  "a page that says that there is none": answerWith(404, "<h1>404</h1>", HTML),
  "a page that wants a password": answerWith(401, "Who are you?", HTML),
  "a page that forbids": answerWith(403, "<h1>Blocked</h1>", HTML),
  "a redirect to another address": answerWith(301, "", { location: "https://reeve.test/v1/gate/bundle?secret=1" }),
  "another service": answerWith(200, '{"status":"ok"}', JSON_TYPE),
  "the refusal of another service": answerWith(404, '{"detail":"Not Found"}', JSON_TYPE),
  "nothing, with success": answerWith(204),
  "that nothing has changed, which nobody asked": answerWith(304),
  "the bundle of another project": answerWith(
    200,
    JSON.stringify({
      ownerId: "team_1",
      projectId: "other",
      configuration: null,
      attackMode: { isEnabled: false, activeUntil: null },
      bypasses: [],
      bypassRules: [],
      challengeKeys: [],
      bots: [],
    }),
    JSON_TYPE,
  ),
};

/** What an outage looks like: it passes. */
export const AWAY: Readonly<Record<string, RequestListener>> = {
  "an error": answerWith(500, '{"error":{"code":"internal_server_error","message":"It failed"}}', JSON_TYPE),
  "a proxy without the server behind it": answerWith(502, "<h1>Bad Gateway</h1>", HTML),
  "a page of maintenance": answerWith(503, "<h1>Back soon</h1>", HTML),
  "too many requests": answerWith(429, '{"error":{"code":"too_many_requests","message":"Later"}}', JSON_TYPE),
  "a timeout of a proxy": answerWith(408, "", HTML),
  "half an answer": (_message, res) => {
    res.writeHead(200, { "content-length": "1000", ...JSON_TYPE });
    res.write('{"projectId":', () => res.destroy());
  },
  "a closed connection": (_message, res) => void res.destroy(),
};
