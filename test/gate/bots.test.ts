// Verified bots at a gate: they are not challenged, rules know them, and anyone who only claims to be one is nobody special.
import assert from "node:assert/strict";
import { generateKeyPairSync, hash, sign } from "node:crypto";
import { test } from "node:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { after } from "node:test";
import { waitFor } from "../harness/wait-for.ts";
import { sendTo, startGateWorld } from "./gate-world.ts";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const { x = "" } = publicKey.export({ format: "jwk" });
const keyId = hash("sha256", `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`, "base64url");

const publisher = createServer(({ url }, response) => {
  if (url === "/ranges.json") {
    response.end(JSON.stringify({ prefixes: [{ ipv4Prefix: "203.0.113.0/24" }, { ipv6Prefix: "2001:db8::/32" }] }));
  } else {
    const type = "application/http-message-signatures-directory+json";
    response.writeHead(200, { "content-type": type });
    response.end(JSON.stringify({ keys: [{ kty: "OKP", crv: "Ed25519", x }] }));
  }
});
publisher.listen(0, "127.0.0.1");
await once(publisher, "listening");
after(() => publisher.close());
const origin = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}`;

const world = await startGateWorld({
  egressAllow: "127.0.0.1",
  botSources: `Searchbot=ranges:${origin}/ranges.json,Signer=agent:${origin}`,
});
const { clock, team } = world;

const rule = (action: string, ...conditions: object[]) => ({
  name: action,
  active: true,
  conditionGroup: [{ conditions }],
  action: { mitigate: { action } },
});
const project = await world.newProject({
  firewallEnabled: true,
  rules: [
    rule("deny", { type: "path", op: "eq", value: "/private" }),
    rule("deny", { type: "path", op: "eq", value: "/no-signer" }, { type: "bot_name", op: "eq", value: "Signer" }),
    rule("deny", { type: "path", op: "eq", value: "/no-bots" }, { type: "bot_status", op: "eq", value: "verified" }),
    rule("challenge", { type: "path", op: "pre", value: "/" }),
  ],
});
await waitFor("the bots to be read", async () => {
  const url = `/v1/gate/bundle?teamId=${team.id}&projectId=${project}`;
  const { body } = await world.request("GET", url, { token: world.user.token });
  return body.bots.length === 2 || undefined;
});
const { url } = await world.startGate({ hosts: [{ host: "*", team: team.slug, project }] });

interface Client {
  readonly ip: string;
  readonly userAgent?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function statusOf(target: string, { ip, userAgent = "Mozilla/5.0", headers = {} }: Client): Promise<number> {
  const forwarded = { "x-forwarded-method": "GET", "x-forwarded-host": "shop.test", "x-forwarded-uri": target };
  const sent = { ...forwarded, "x-forwarded-for": ip, "user-agent": userAgent, ...headers };
  return (await sendTo(url, "/.well-known/reeve/check", { headers: sent })).status;
}

function signedHeaders(authority = "shop.test", expiresIn = 60): Record<string, string> {
  const seconds = Math.floor(clock.now / 1_000);
  const covered =
    `("@authority" "signature-agent";key="a");created=${seconds};expires=${seconds + expiresIn}` +
    `;keyid="${keyId}";alg="ed25519";tag="web-bot-auth"`;
  const base = `"@authority": ${authority}\n"signature-agent";key="a": "${origin}"\n"@signature-params": ${covered}`;
  return {
    "signature-agent": `a="${origin}"`,
    "signature-input": `sig=${covered}`,
    signature: `sig=:${sign(null, Buffer.from(base), privateKey).toString("base64")}:`,
  };
}

const SEARCHBOT = "Mozilla/5.0 (compatible; searchbot/2.1; +https://search.example/bot)";

test("a bot is verified by its address and its name, and not by one of them", async () => {
  for (const ip of ["203.0.113.7", "2001:db8::7"])
    assert.equal(await statusOf("/", { ip, userAgent: SEARCHBOT }), 204, ip);
  assert.equal(await statusOf("/", { ip: "198.51.100.1", userAgent: SEARCHBOT }), 403);
  assert.equal(await statusOf("/", { ip: "203.0.113.7" }), 403);
});

test("a bot is verified by its signature, from any address", async () => {
  const ip = "198.51.100.1";
  assert.equal(await statusOf("/", { ip, headers: signedHeaders() }), 204);
  assert.equal(await statusOf("/", { ip, headers: signedHeaders("other.test") }), 403);
  assert.equal(await statusOf("/", { ip, headers: signedHeaders("shop.test", -1) }), 403);
  const { signature: _signature, ...unsigned } = signedHeaders();
  assert.equal(await statusOf("/", { ip, headers: unsigned, userAgent: "Signer/1.0" }), 403);
});

test("all other rules apply to verified bots, which conditions can name", async () => {
  const searchbot = { ip: "203.0.113.7", userAgent: SEARCHBOT };
  const signer = { ip: "198.51.100.1", headers: signedHeaders() };
  assert.deepEqual([await statusOf("/private", searchbot), await statusOf("/private", signer)], [403, 403]);
  assert.deepEqual([await statusOf("/no-bots", searchbot), await statusOf("/no-bots", signer)], [403, 403]);
  assert.deepEqual([await statusOf("/no-signer", searchbot), await statusOf("/no-signer", signer)], [204, 403]);
});

test("attack challenge mode lets verified bots through as well", async () => {
  const searchbot = { ip: "203.0.113.7", userAgent: SEARCHBOT };
  await world.setAttackMode(project, true);
  await waitFor("attack challenge mode", async () => {
    const { text } = await sendTo(url, "/.well-known/reeve/metrics");
    return /reeve_gate_bundle_refreshes_total\{outcome="changed"\} [2-9]/.test(text) || undefined;
  });
  assert.equal(await statusOf("/", searchbot), 204);
  assert.equal(await statusOf("/", { ip: "203.0.113.7" }), 403);
});
