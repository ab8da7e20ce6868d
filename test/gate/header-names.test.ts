// Names of headers that servers fold into other names, and headers by which a client claims what only a proxy may say: no application reads
// them, in whichever form it keeps headers.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as sendRequest } from "node:http";
import type { IncomingMessage, RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import { createGate } from "../../src/gate/middleware.ts";
import { CLAIMS } from "../../src/gate/requests/claims.ts";
import { freePort } from "../harness/free-port.ts";
import { waitFor } from "../harness/wait-for.ts";
import { listenerOf } from "./fetch-listener.ts";
import { listenOn, sendTo, startGateWorld } from "./gate-world.ts";
import { run } from "./programs/run-program.ts";

const world = await startGateWorld();
const { team } = world;
const onHeader = (name: string) => ({
  name: `No ${name}`,
  active: true,
  conditionGroup: [{ conditions: [{ type: "header", op: "ex", key: name }] }],
  action: { mitigate: { action: "deny" } },
});
const project = await world.newProject({
  firewallEnabled: true,
  rules: [onHeader("x-http-method-override"), onHeader("x-original-url")],
});
const hosts = [{ host: "*", team: team.slug, project }];

/** All forms in which Node.js keeps the headers of a request. */
const formsOf = ({
  headers,
  rawHeaders,
  headersDistinct,
  trailers,
  rawTrailers,
  trailersDistinct,
}: IncomingMessage) => ({
  headers,
  rawHeaders,
  headersDistinct,
  trailers,
  rawTrailers,
  trailersDistinct,
});

async function startPhp(): Promise<string> {
  const folder = world.newFolder();
  writeFileSync(join(folder, "index.php"), "<?php echo json_encode($_SERVER);");
  const port = await freePort();
  run("php", ["-S", `127.0.0.1:${port}`, "-t", folder, join(folder, "index.php")]);
  const url = `http://127.0.0.1:${port}`;
  await waitFor("PHP", async () => (await fetch(url).catch(() => undefined))?.ok);
  return url;
}

/** URLs of applications behind the gate, which answer with all that they have of a request. */
async function startWays(trustedProxies: string[]): Promise<Readonly<Record<string, string>>> {
  const gate = createGate({ server: world.server, key: world.key, team: team.slug, project, trustedProxies });
  await gate.ready;
  const fastify = Fastify();
  await fastify.register(gate.fastify);
  fastify.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  fastify.all("/*", (request) => ({ own: request.headers, ...formsOf(request.raw) }));
  await fastify.listen({ port: 0, host: "127.0.0.1" });
  const hono = new Hono();
  hono.all("*", async (context) => context.json({ text: await context.req.text(), headers: context.req.header() }));
  const listen = async (listener: RequestListener) => (await listenOn(listener)).url;
  const web = gate.fetch(hono.fetch, {
    ip: (_request, env) => (env as { incoming: IncomingMessage }).incoming.socket.remoteAddress,
  });
  const node = createServer(
    gate.node(async (message, res) => {
      for await (const _ of message);
      res.end(JSON.stringify(formsOf(message)));
    }),
  );
  node.listen(0, "127.0.0.1");
  await once(node, "listening");
  after(async () => {
    node.close();
    await fastify.close();
    await gate.close();
  });
  const { url: proxy } = await world.startGate({ hosts, trustedProxies, upstream: await startPhp() });
  const app = express().use(gate.express(), express.text({ type: "*/*" }));
  return {
    "PHP behind proxy mode": proxy,
    "node:http": `http://127.0.0.1:${(node.address() as AddressInfo).port}`,
    Express: (await listenOn(app.use((message, res) => void res.json(formsOf(message))))).url,
    Fastify: `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}`,
    "Hono on the gate's node:http": await listen(gate.node(listenerOf(hono.fetch))),
    "Hono by web-standard requests": await listen(listenerOf(web)),
  };
}

const ofStrangers = await startWays(["10.0.0.0/8"]);
const ofProxies = await startWays(["127.0.0.0/8"]);

/** By which applications let in whom a proxy has signed in, as their manuals have them. */
const IDENTITIES = [
  "Remote-User",
  "X-Remote-User",
  "X-Remote-Extra-Scopes",
  "X-Auth-Request-User",
  "X-Auth-Request-Redirect",
  "X-WebAuth-User",
  "X-authentik-meta-app",
  "X-Pomerium-Claim-Email",
  "X-Token-User-Roles",
  "Tailscale-User-Login",
  "OIDC-CLAIM-email",
  "X-Amzn-Oidc-Identity",
  "X-MS-CLIENT-PRINCIPAL-IDP",
  "Cf-Access-Authenticated-User-Email",
  "X-Goog-Authenticated-User-Email",
  "SSL-Client-I-DN",
];

/** Everything that a name may hold besides letters, digits and hyphens (RFC 9110, 5.6.2). */
const FOREIGN = "!#$%&'*+.^_`|~".split("");

for (const [way, url] of Object.entries(ofStrangers)) {
  test(`${way}: a name with another character than letters, digits and hyphens does not arrive`, async () => {
    for (const character of FOREIGN) {
      const names = ["X-Http-Method-Override", "X-Reeve-Decision", "X-Real-IP", "X-Own"].flatMap((name) => [
        name.replaceAll("-", character),
        name.replace("-", character),
      ]);
      const headers = Object.fromEntries(names.map((name) => [name, "forged"]));
      const { status, text } = await sendTo(url, "/", { headers: { host: "shop.test", ...headers } });
      assert.equal(status, 200, character);
      assert.ok(!text.includes("forged"), `${character}: ${text}`);
    }
    const plain = { host: "shop.test", "x-plain": "kept", "x-1-y": "kept too" };
    const { text } = await sendTo(url, "/", { headers: plain });
    assert.ok(text.includes('"kept"') && text.includes('"kept too"'), text);
  });

  test(`${way}: what only a gate or a proxy says does not arrive from a stranger, and the gate's own does`, async () => {
    const claimed = CLAIMS.flatMap(({ names }) => names).filter((name) => name !== "x-original-url");
    const begun = CLAIMS.flatMap(({ prefixes = [] }) => prefixes.map((prefix) => `${prefix}anything`));
    for (const name of [...claimed, ...begun, ...IDENTITIES]) {
      const headers = { host: "shop.test", [name.toUpperCase()]: "forged, by me" };
      const { status, text } = await sendTo(url, "/", { headers });
      assert.equal(status, 200, name);
      assert.ok(!text.includes("forged"), `${name}: ${text}`);
    }
    const { text } = await sendTo(url, "/", { headers: { host: "shop.test", "x-real-ip": "198.51.100.1" } });
    assert.match(text, /"(?:HTTP_X_REEVE_DECISION|x-reeve-decision)":"allow; version=1; id=\w+"/);
    assert.match(text, /"(?:HTTP_X_REAL_IP|x-real-ip)":"127\.0\.0\.1"/);
    // Rules see what the application does not get.
    const denied = await sendTo(url, "/", { headers: { host: "shop.test", "x-original-url": "/admin" } });
    assert.equal(denied.status, 403);
  });
}

for (const [way, url] of Object.entries(ofProxies)) {
  test(`${way}: what a trusted proxy says of the client arrives, and no other target`, async () => {
    // Of protocol, host and port it hears what was decided on.
    for (const { from, names } of CLAIMS.filter(({ about }) => !about.startsWith("protocol"))) {
      for (const name of names.filter((one) => one !== "x-original-url")) {
        const { text } = await sendTo(url, "/", { headers: { host: "shop.test", [name]: "said, by it" } });
        assert.equal(text.includes("said, by it"), from === "trusted proxies", `${name}: ${text}`);
      }
    }
  });
}

/** A request with trailers. */
async function sendTrailers(url: string, trailers: Readonly<Record<string, string>>): Promise<string> {
  const headers = { host: "shop.test", "content-type": "text/plain", trailer: Object.keys(trailers).join(", ") };
  const request = sendRequest(url, { method: "POST", agent: false, headers });
  request.write("body");
  request.addTrailers(trailers);
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return text;
}

test("trailers of such names do not arrive either, and others do", async () => {
  const forged = { "X-Reeve-Decision": "forged", X_Own: "forged", "X-Original-URL": "forged" };
  for (const [way, url] of Object.entries(ofStrangers)) {
    const text = await sendTrailers(url, { ...forged, "x-checksum": "kept" });
    assert.ok(!text.includes('"forged"'), `${way}: ${text}`);
    if (["node:http", "Express", "Fastify"].includes(way)) assert.ok(text.includes('"x-checksum":"kept"'), text);
  }
});

test("a proxy that passes such a name on is told so: it would pass it on to the application", async () => {
  const { url } = await world.startGate({ hosts });
  const check = "/.well-known/reeve/check";
  const described = { "x-forwarded-method": "GET", "x-forwarded-host": "shop.test", "x-forwarded-uri": "/" };
  const original = { host: "shop.test", "x-original-method": "GET", "x-original-uri": "/" };
  const ways = [
    [check, described],
    [`${check}?compat=nginx`, original],
    [`${check}/`, { host: "shop.test" }],
  ] as const;
  for (const [path, headers] of ways) {
    assert.equal((await sendTo(url, path, { headers })).status, 204);
    for (const character of FOREIGN) {
      const name = `X${character}Http`;
      const refused = await sendTo(url, path, { headers: { ...headers, [name]: "1" } });
      assert.equal(refused.status, 403, path);
      assert.match(String(refused.headers["x-reeve-decision"]), /^deny; reason=bad_request; /);
      assert.ok(refused.text.includes("names of headers with letters, digits and hyphens alone"), refused.text);
      assert.ok(refused.text.includes(name.toLowerCase()), refused.text);
    }
  }
});
