// What trusted proxies say of the client: its address, protocol and host, in all forms and by the same hops, on every way.
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { after, test } from "node:test";
import express from "express";
import { createGate } from "../../src/gate/middleware.ts";
import { createTrustedProxies } from "../../src/gate/requests/trusted-proxies.ts";
import { listenerOf } from "./fetch-listener.ts";
import { SILENT, echo, listenOn, sendTo, startGateWorld } from "./gate-world.ts";
import type { GateAnswer } from "./gate-world.ts";

const world = await startGateWorld();
const { team } = world;
const deny = (path: string, condition: object) => ({
  name: `No ${path}`,
  active: true,
  conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: path }, condition] }],
  action: { mitigate: { action: "deny" } },
});
const CLIENT = "203.0.113.7";
const project = await world.newProject({
  firewallEnabled: true,
  rules: [
    deny("/https", { type: "scheme", op: "eq", value: "https" }),
    deny("/client", { type: "ip_address", op: "eq", value: CLIENT }),
    deny("/host", { type: "host", op: "eq", value: "shop.test" }),
  ],
  ips: [{ hostname: "*", ip: "fe80::/48", action: "deny" }],
});
const hosts = [{ host: "*", team: team.slug, project }];
const trustedProxies = ["127.0.0.0/8", "10.0.0.0/8"];
const gate = await world.startGate({ hosts, trustedProxies });
const proxy = await world.startGate({ hosts, trustedProxies, upstream: (await listenOn(echo)).url });
const within = createGate({
  server: world.server,
  key: world.key,
  team: team.slug,
  project,
  trustedProxies,
  log: SILENT,
});
await within.ready;
after(() => within.close());
const web = within.fetch(async (_request: Request, _env: unknown) => new Response("reached"), {
  ip: (_request, env) => (env as { incoming: IncomingMessage }).incoming.socket.remoteAddress,
});
const node = await listenOn(within.node(echo));
const expressed = await listenOn(express().use(within.express(), echo));
const fetched = await listenOn(listenerOf(web));

type Send = (target: string, headers: Readonly<Record<string, string | string[]>>) => Promise<GateAnswer>;
const CHECK = "/.well-known/reeve/check";
const asIs =
  (url: string): Send =>
  (target, headers) =>
    sendTo(url, target, { headers: { host: "shop.test", ...headers } });

const WAYS: Readonly<Record<string, Send>> = {
  "a check by X-Forwarded-Uri": (target, headers) =>
    sendTo(gate.url, CHECK, {
      headers: { "x-forwarded-method": "GET", "x-forwarded-host": "shop.test", "x-forwarded-uri": target, ...headers },
    }),
  "a check of nginx": (target, headers) =>
    sendTo(gate.url, `${CHECK}?compat=nginx`, {
      headers: { host: "shop.test", "x-original-method": "GET", "x-original-uri": target, ...headers },
    }),
  "a check below a prefix": (target, headers) => asIs(gate.url)(CHECK + target, headers),
  "proxy mode": asIs(proxy.url),
  "node:http": asIs(node.url),
  Express: asIs(expressed.url),
  "web-standard requests": asIs(fetched.url),
};

const isRefused = ({ status, headers }: GateAnswer) =>
  (status === 400 || status === 403) && String(headers["x-reeve-decision"]).startsWith("deny; reason=bad_request");

async function seenBy(send: Send, headers: Readonly<Record<string, string | string[]>>): Promise<object> {
  const https = await send("/https", headers);
  const client = await send("/client", headers);
  if (isRefused(https)) return { refused: true };
  return { isHttps: https.status === 403, isClient: client.status === 403 };
}

for (const [way, send] of Object.entries(WAYS)) {
  test(`${way}: protocols are read in all forms, and what is none is refused`, async () => {
    const forms: readonly (readonly [proto: string | string[], forwardedFor: string, scheme: string | null])[] = [
      ["https", CLIENT, "https"],
      ["HTTPS", CLIENT, "https"],
      ["wss", CLIENT, "https"],
      ["WSS", CLIENT, "https"],
      ["ws", CLIENT, "http"],
      ["http", CLIENT, "http"],
      [" https ", CLIENT, "https"],
      ['"https"', CLIENT, "https"],
      ["https,", CLIENT, "https"],
      [",https", CLIENT, "https"],
      // The last proxy says that the client came by http; what is before it the client may have written.
      ["https, http", CLIENT, "http"],
      ["http,https", CLIENT, "https"],
      [["https", "http"], CLIENT, "http"],
      // Two trusted proxies have added to both lists.
      ["https, http", `${CLIENT}, 10.0.0.1`, "https"],
      ["http, https, http", `198.51.100.1, ${CLIENT}, 10.0.0.1`, "https"],
      ["wss, ws", `${CLIENT}, 10.0.0.1`, "https"],
      // The second has replaced what the first said.
      ["https", `${CLIENT}, 10.0.0.1`, "https"],
      ["h2", CLIENT, null],
      ["httpx", CLIENT, null],
      ["ftp", CLIENT, null],
      [",", CLIENT, null],
      ["on", CLIENT, null],
    ];
    for (const [proto, forwardedFor, scheme] of forms) {
      const seen = await seenBy(send, { "x-forwarded-proto": proto, "x-forwarded-for": forwardedFor });
      const expected = scheme === null ? { refused: true } : { isHttps: scheme === "https", isClient: true };
      assert.deepEqual([proto, forwardedFor, seen], [proto, forwardedFor, expected]);
    }
  });

  test(`${way}: addresses are read in all forms`, async () => {
    const forms: readonly (readonly [forwardedFor: string | string[], isClient: boolean])[] = [
      [`${CLIENT},`, true],
      [`, ${CLIENT} ,, `, true],
      [`"${CLIENT}"`, true],
      [`"${CLIENT}:4711"`, true],
      [`${CLIENT}:4711, 10.0.0.1:80`, true],
      [`::ffff:${CLIENT}`, true],
      [`[::ffff:${CLIENT}]:443`, true],
      [`${CLIENT}, "[::ffff:10.0.0.1]:80",`, true],
      [["198.51.100.1", CLIENT], true],
      [[CLIENT, "10.0.0.1"], true],
      [`${CLIENT}, unknown`, false],
      [`${CLIENT}, _hidden`, false],
      [`unknown, ${CLIENT}`, true],
      [`${CLIENT}, 198.51.100.1`, false],
    ];
    for (const [forwardedFor, isClient] of forms) {
      const { status } = await send("/client", { "x-forwarded-for": forwardedFor });
      assert.deepEqual([forwardedFor, status === 403], [forwardedFor, isClient]);
    }
    for (const local of ["fe80::1%eth0", "[fe80::1%25eth0]:80", '"[fe80::1%eth0]"']) {
      const { status, headers } = await send("/", { "x-forwarded-for": local });
      assert.deepEqual([local, status], [local, 403]);
      assert.match(String(headers["x-reeve-decision"]), /^deny; rule=ip_/);
    }
  });
}

test("a peer in the form of its machine has the same address", () => {
  const trust = createTrustedProxies(["fe80::/10"], null);
  assert.deepEqual(trust.clientOf("fe80::1%eth0", undefined), { ip: "fe80::1", hop: 0 });
  assert.deepEqual(trust.clientOf("fe80::1%eth0", `${CLIENT},`), { ip: CLIENT, hop: 0 });
  assert.deepEqual(trust.clientOf(`::ffff:${CLIENT}`, "198.51.100.1"), { ip: CLIENT, hop: 0 });
  assert.deepEqual(trust.clientOf("", "198.51.100.1"), { ip: undefined, hop: 0 });
});

test("a proxy that asks says the host in a list too, and the gate decides by that of the client", async () => {
  const ask = async (host: string | string[], forwardedFor = CLIENT) => {
    const described = { "x-forwarded-method": "GET", "x-forwarded-host": host, "x-forwarded-uri": "/host" };
    const answer = await sendTo(gate.url, CHECK, { headers: { ...described, "x-forwarded-for": forwardedFor } });
    return isRefused(answer) ? "refused" : answer.status;
  };
  assert.equal(await ask("shop.test"), 403);
  assert.equal(await ask('"shop.test"'), 403);
  assert.equal(await ask("shop.test,"), 403);
  assert.equal(await ask("shop.test, other.test", `${CLIENT}, 10.0.0.1`), 403);
  assert.equal(await ask("other.test, shop.test"), 403);
  assert.equal(await ask(["other.test", "shop.test"]), 403);
  assert.equal(await ask("other.test"), 204);
  for (const bad of [",", "shop.test/x", "a b", "user@shop.test"]) assert.equal(await ask(bad), "refused", bad);
});

test("the protocol of a stranger is that of its connection, whatever it claims", async () => {
  const stranger = await world.startGate({
    hosts,
    trustedProxies: ["10.0.0.0/8"],
    upstream: (await listenOn(echo)).url,
  });
  for (const proto of ["https", "nonsense"]) {
    const { status, text } = await asIs(stranger.url)("/https", { "x-forwarded-proto": proto });
    assert.deepEqual([status, JSON.parse(text).headers["x-forwarded-proto"]], [200, "http"]);
  }
});

const told = express().set("trust proxy", true);
told.use(within.express(), ({ hostname, protocol, headers }, res) => void res.json({ hostname, protocol, headers }));
const echoing = within.fetch(
  async (request: Request, _env: unknown) => Response.json({ headers: Object.fromEntries(request.headers) }),
  { ip: (_request, env) => (env as { incoming: IncomingMessage }).incoming.socket.remoteAddress },
);
const TELLS: Readonly<Record<string, string>> = {
  "proxy mode": proxy.url,
  "node:http": node.url,
  Express: (await listenOn(told)).url,
  "web-standard requests": (await listenOn(listenerOf(echoing))).url,
};
const SAID: readonly (readonly [said: object, told: object])[] = [
  [{ "x-forwarded-host": "shop.test" }, { "x-forwarded-host": "shop.test" }],
  [{ "x-forwarded-host": "admin.test" }, { "x-forwarded-host": "shop.test" }],
  [{ "x-forwarded-host": "admin.test, shop.test" }, { "x-forwarded-host": "shop.test" }],
  [{ "x-forwarded-host": ["shop.test", "admin.test"] }, { "x-forwarded-host": "shop.test" }],
  [
    { "x-original-host": "admin.test", "x-host": "a b" },
    { "x-original-host": "shop.test", "x-host": "shop.test" },
  ],
  [{ "x-forwarded-proto": "https, http" }, { "x-forwarded-proto": "http" }],
  [{ "x-forwarded-proto": "WSS" }, { "x-forwarded-proto": "https" }],
  [
    { "x-forwarded-proto": "https", "x-forwarded-ssl": "off", "front-end-https": "off", "x-scheme": "http" },
    { "x-forwarded-proto": "https", "x-forwarded-ssl": "on", "front-end-https": "on", "x-scheme": "https" },
  ],
  [
    { "x-forwarded-ssl": "on", "x-forwarded-scheme": "https" },
    { "x-forwarded-ssl": "off", "x-forwarded-scheme": "http" },
  ],
  [{ "x-forwarded-proto": "https", "x-forwarded-port": "443" }, { "x-forwarded-port": "443" }],
  [{ "x-forwarded-proto": "https", "x-forwarded-port": "8443" }, { "x-forwarded-port": "8443" }],
  [{ "x-forwarded-port": "443" }, { "x-forwarded-port": undefined }],
  [{ "x-forwarded-proto": "https", "x-forwarded-port": "80" }, { "x-forwarded-port": undefined }],
  [{ "x-forwarded-port": "80, 443" }, { "x-forwarded-port": undefined }],
  [{ host: "shop.test:81", "x-forwarded-port": "82" }, { "x-forwarded-port": undefined }],
  [
    { forwarded: "for=203.0.113.7;proto=http;host=shop.test" },
    { forwarded: "for=203.0.113.7;proto=http;host=shop.test" },
  ],
  [{ forwarded: 'for=1.2.3.4;HOST="admin.test"' }, { forwarded: undefined }],
  [{ forwarded: "proto=https" }, { forwarded: undefined }],
  [{ forwarded: "for=1.2.3.4, host=shop.test, host = admin.test" }, { forwarded: undefined }],
  [{ "x-forwarded-prefix": "/shop" }, { "x-forwarded-prefix": "/shop", "x-forwarded-ssl": undefined }],
];

for (const [way, url] of Object.entries(TELLS)) {
  test(`${way}: an application hears of no other protocol and host than those that were decided on`, async () => {
    for (const [said, expected] of SAID) {
      const { status, text } = await asIs(url)("/ok", said as Record<string, string>);
      assert.deepEqual([said, status], [said, 200]);
      const { headers } = JSON.parse(text) as { headers: Record<string, string> };
      const got = Object.fromEntries(Object.keys(expected).map((name) => [name, headers[name]]));
      assert.deepEqual([said, got], [said, expected]);
    }
  });
}

test("Express believes the host and the protocol of the decision under trust proxy", async () => {
  const { text } = await asIs(TELLS["Express"] as string)("/ok", {
    "x-forwarded-host": "admin.test",
    "x-forwarded-proto": "https, http",
  });
  const { hostname, protocol } = JSON.parse(text) as Record<string, string>;
  assert.deepEqual([hostname, protocol], ["shop.test", "http"]);
});

test("a check path that ends with a slash and a described target contradict each other", async () => {
  const described = { "x-forwarded-method": "GET", "x-forwarded-host": "shop.test", host: "shop.test" };
  for (const name of ["x-forwarded-uri", "x-original-uri"]) {
    const answer = await sendTo(gate.url, `${CHECK}/`, { headers: { ...described, [name]: "/ok" } });
    assert.ok(isRefused(answer), `${name}: ${answer.status}`);
    assert.match(answer.text, /without a slash/);
  }
  assert.equal((await sendTo(gate.url, `${CHECK}/`, { headers: { host: "shop.test" } })).status, 204);
});
