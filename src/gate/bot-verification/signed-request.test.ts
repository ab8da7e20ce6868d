// Signatures of bots: what is accepted, and everything that makes one of no use.
import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";
import type { GateRequest } from "../message.ts";
import { findSigner } from "./signed-request.ts";
import { compileVerifiedBots } from "./verified-bots.ts";

const AGENT = "https://bot.example";
const NOW = Date.UTC(2026, 10, 1);
const seconds = Math.floor(NOW / 1_000);
const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const findKey = (agent: string, keyId: string) => (agent === AGENT && keyId === "key" ? publicKey : undefined);

const PARAMETERS: Readonly<Record<string, string>> = {
  created: String(seconds - 10),
  expires: String(seconds + 60),
  keyid: '"key"',
  alg: '"ed25519"',
  tag: '"web-bot-auth"',
};

interface Signing {
  readonly components?: readonly (readonly [name: string, value: string])[];
  readonly parameters?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly host?: string;
}

const AUTHORITY = ['"@authority"', "shop.test"] as const;
const MEMBER = ['"signature-agent";key="sig1"', `"${AGENT}"`] as const;

/** A request that is signed by the rules of RFC 9421, written here once more. */
function signed({ components = [AUTHORITY, MEMBER], parameters = {}, headers = {}, host = "shop.test" }: Signing = {}) {
  const all = Object.entries({ ...PARAMETERS, ...parameters }).filter(([, value]) => value !== "");
  const input = `(${components.map(([name]) => name).join(" ")})${all.map(([name, value]) => `;${name}=${value}`).join("")}`;
  const base = [...components.map(([name, value]) => `${name}: ${value}`), `"@signature-params": ${input}`].join("\n");
  return {
    method: "GET",
    scheme: "https",
    host,
    target: "/a?b=c",
    ip: undefined,
    headers: {
      "signature-agent": `sig1="${AGENT}"`,
      "signature-input": `sig1=${input}`,
      signature: `sig1=:${sign(null, Buffer.from(base), privateKey).toString("base64")}:`,
      ...headers,
    },
  } satisfies GateRequest;
}

test("a signature over the host and the agent names the agent", () => {
  const path = ['"@path"', "/a"] as const;
  for (const signing of [
    {},
    { host: "SHOP.test:443" },
    { parameters: { alg: "" } },
    { components: [['"@target-uri"', "https://shop.test/a?b=c"] as const, MEMBER] },
    { components: [AUTHORITY, MEMBER, ['"@method"', "GET"] as const, path, ['"@query"', "?b=c"] as const] },
    {
      components: [AUTHORITY, MEMBER, ['"accept"', "text/html, */*"] as const],
      headers: { accept: " text/html, */* " },
    },
    // As drafts before the working group's had it.
    {
      components: [AUTHORITY, ['"signature-agent"', `"${AGENT}"`] as const],
      headers: { "signature-agent": `"${AGENT}"` },
    },
    { headers: { "signature-agent": `other="https://other.example", sig1="${AGENT}"` } },
  ]) {
    assert.equal(findSigner(signed(signing), findKey, NOW), AGENT, JSON.stringify(signing));
  }
});

/** Requests of bots in September 2026, with the keys that their directories had. */
const CAPTURED = [
  {
    agent: "https://bot.duckduckgo.com",
    x: "pVqc2ohmGpL_H1OJGq7mIGkxAk65mm5JkY7qSdJachE",
    target: "/favicon.ico",
    at: 1_788_411_574_000,
    headers: {
      "signature-agent": "https://bot.duckduckgo.com",
      "signature-input":
        'sig1=("@method" "@authority" "@path" "signature-agent");created=1788411573;expires=1788412173;alg="ed25519";tag="web-bot-auth";keyid="5HvpfNA946z6lcCXEIOOpzlN5l0mdZE42jdqimEwPf8"',
      signature: "sig1=:63joPbtMnsFXGyPmWp8mkRzsxiT0Ugujee2gB5dFajTA/ODK8bTRdkuM1/gYaU1f5DpDBvn5KMvoRkreGyWtCQ==:",
    },
  },
  {
    agent: "https://ahrefs.com",
    x: "0g1xFRWdVlSOm1h92tZ4VFl7FWGtvRnTZ0PwuBdJuDU",
    target: "/robots.txt",
    at: 1_788_417_113_000,
    headers: {
      "signature-agent": '"https://ahrefs.com"',
      "signature-input":
        'sig=("@authority" "signature-agent");created=1788417112;keyid="e3vpiy0B6M1Wdxnizw3dqRSgpqS6SXM2qiQ6HtUwZ5g";alg="ed25519";expires=1788417172;nonce="G1Ywem9vmQEo0fdcGB7X5U9zPBDn7t1bL_ThO2xn3SomHhITaea-gLCYBUaHp0YRIDGvnVmofZM9h6dNaVTTig";tag="web-bot-auth"',
      signature: "sig=:+B/zW07ZjErBYQKeX5yYs7W/hTzbARoe9EDTg8WehmDZ6lsQfNgUR0Wrv/ggxa0JCu4RAfBi72XAFYw4I9FNAg==:",
    },
  },
] as const;

test("what real bots have sent is accepted, at the time and for the path that they signed", () => {
  for (const { agent, x, target, at, headers } of CAPTURED) {
    const bots = compileVerifiedBots([{ name: "real", agent, networks: [], keys: [x] }]);
    const request = { ...signed(), host: "gkoreli.com", target, headers };
    assert.equal(bots.find(request, at), "real", agent);
    assert.equal(bots.find(request, at + 3_600_000), undefined, agent);
    assert.equal(bots.find({ ...request, host: "other.test" }, at), undefined, agent);
  }
  const [{ agent, x, at, headers }] = CAPTURED;
  const bots = compileVerifiedBots([{ name: "real", agent, networks: [], keys: [x] }]);
  assert.equal(bots.find({ ...signed(), host: "gkoreli.com", target: "/other", headers }, at), undefined);
});

test("a signature for another host, time, purpose or agent, or over too little, is of no use", () => {
  const http = ['"signature-agent";key="sig1"', '"http://bot.example"'] as const;
  const typed = ['"signature-agent";key="sig1"', `"${AGENT}";type=jwks_uri`] as const;
  const cases: Readonly<Record<string, Signing>> = {
    "another host": { host: "other.test" },
    "without the host": { components: [MEMBER] },
    "without the agent": { components: [AUTHORITY] },
    expired: { parameters: { expires: String(seconds) } },
    "without an end": { parameters: { expires: "" } },
    "without a beginning": { parameters: { created: "" } },
    "of the future": { parameters: { created: String(seconds + 120), expires: String(seconds + 180) } },
    "for too long": { parameters: { expires: String(seconds + 90_000) } },
    "another tag": { parameters: { tag: '"other"' } },
    "another algorithm": { parameters: { alg: '"rsa-v1_5-sha256"' } },
    "another key": { parameters: { keyid: '"other"' } },
    "without a key": { parameters: { keyid: "" } },
    "an unknown component": { components: [AUTHORITY, MEMBER, ['"@status"', "200"]] },
    "an unknown parameter": { components: [AUTHORITY, MEMBER, ['"accept";sf', "*/*"]], headers: { accept: "*/*" } },
    "a header that is missing": { components: [AUTHORITY, MEMBER, ['"accept"', ""]] },
    "another agent": { headers: { "signature-agent": 'sig1="https://other.example"' } },
    "an agent without https": {
      components: [AUTHORITY, http],
      headers: { "signature-agent": 'sig1="http://bot.example"' },
    },
    "keys elsewhere": {
      components: [AUTHORITY, typed],
      headers: { "signature-agent": `sig1="${AGENT}";type=jwks_uri` },
    },
    "another signature": { headers: { signature: `sig1=:${Buffer.alloc(64).toString("base64")}:` } },
    "a short signature": { headers: { signature: "sig1=:AAAA:" } },
    "another label": { headers: { signature: signed().headers.signature.replace("sig1", "sig2") } },
    "no dictionary": { headers: { signature: "sig1=(((" } },
    "too long": { headers: { "signature-input": `${signed().headers["signature-input"]}, b="${"a".repeat(5_000)}"` } },
  };
  for (const [what, signing] of Object.entries(cases)) {
    assert.equal(findSigner(signed(signing), findKey, NOW), undefined, what);
  }
  const changed = { ...signed({ components: [AUTHORITY, MEMBER, ['"@path"', "/a"]] }), target: "/b" };
  assert.equal(findSigner(changed, findKey, NOW), undefined);
});
