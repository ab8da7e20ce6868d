// The gate and `evaluate` read the same bytes alike, though Node.js gives the gate each byte as one character.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { configurationOf, evaluationOf, ruleOf } from "../../../test/resources/evaluation.ts";
import type { Condition } from "../../firewall/evaluator/config.ts";
import { attributesOf } from "./request-attributes.ts";
import { createTrustedProxies } from "./trusted-proxies.ts";
import { NGINX_CHECK, isUnreadable, readCheck } from "./read-request.ts";

const trust = createTrustedProxies([], null);
const server = createServer((message, response) => {
  const request = readCheck(message, trust);
  assert.ok(!isUnreadable(request));
  const lookups = { hasPassed: () => false, findGeo: () => ({}), findBot: () => undefined };
  const attributes = attributesOf(request, {}, null, lookups);
  const actions = CONDITIONS.map((condition) => denier(condition).decide(attributes).action);
  response.end(JSON.stringify(actions));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
after(() => server.close());

const TEXT = "caf\u00e9-\u043f\u0440\u0438\u0432\u0435\u0442";
const LATIN = Buffer.from(TEXT).toString("latin1");
const CONDITIONS: readonly Condition[] = [
  ...["\u00e9", "\u043f\u0440\u0438", LATIN].flatMap((value): Condition[] => [
    { type: "header", key: "x-name", op: "sub", value },
    { type: "user_agent", op: "sub", value },
    { type: "cookie", key: "name", op: "sub", value },
    { type: "query", key: "name", op: "sub", value },
    { type: "path", op: "sub", value },
    { type: "raw_path", op: "sub", value },
    { type: "header", key: "x-name", op: "re", value },
  ]),
  { type: "query", key: "\u00fc", op: "ex" },
];

const denier = (condition: Condition) =>
  evaluationOf(configurationOf({ rules: [ruleOf("rule", { action: "deny" }, [condition])] }));

test("a rule sees bytes beyond ASCII in heads as applications do, in the gate and in a trial", async () => {
  const target = `/${TEXT}?name=${TEXT}&\u00fc=1`;
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const head = [
    `GET ${NGINX_CHECK} HTTP/1.1`,
    "Host: shop.test",
    "Connection: close",
    "X-Original-Method: GET",
    // Node.js takes no request line with such bytes, and nginx does.
    `X-Original-URI: ${target}`,
    `X-Name: ${TEXT}`,
    `User-Agent: ${TEXT}`,
    `Cookie: name=${TEXT}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  let response = "";
  for await (const chunk of socket) response += String(chunk);
  const ofGate = JSON.parse(response.slice(response.indexOf("["), response.lastIndexOf("]") + 1)) as string[];
  const headers = { "x-name": TEXT, "user-agent": TEXT, cookie: `name=${TEXT}`, host: "shop.test" };
  for (const [at, condition] of CONDITIONS.entries()) {
    const tried = denier(condition).decide({ url: `http://shop.test${target}`, headers }).action;
    assert.deepEqual([ofGate[at], tried], ["deny", "deny"], JSON.stringify(condition));
  }
});
