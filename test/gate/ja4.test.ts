// The JA4 digest of a client: believed in the header that is named, from trusted proxies alone, in every way.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createGate } from "../../src/gate/middleware.ts";
import { readJa4 } from "../../src/gate/requests/ja4.ts";
import { SILENT, echo, listenOn, sendTo, startGateWorld } from "./gate-world.ts";

const world = await startGateWorld();
const { key, server, team } = world;

const BAD = "t13d1516h2_8daaf6152771_e5627efa2ab1";
const GOOD = "t13d1717h2_5b57614c22b0_3cbfd9057e0d";
const rule = (mitigate: object, ...conditions: object[]) => ({
  name: "by handshake",
  active: true,
  conditionGroup: [{ conditions }],
  action: { mitigate },
});
const rateLimit = { algo: "fixed_window", window: 3_600, limit: 2, keys: ["ja4"] };
const project = await world.newProject({
  firewallEnabled: true,
  rules: [
    rule({ action: "deny" }, { type: "ja4_digest", op: "pre", value: BAD.slice(0, 10) }),
    rule({ action: "deny" }, { type: "header", key: "x-ja4", op: "ex" }),
    rule({ action: "rate_limit", rateLimit }, { type: "path", op: "eq", value: "/limited" }),
  ],
});
const hosts = [{ host: "*", team: team.slug, project }];
/** The proxy is at 127.0.0.2. */
const trusting = { trustedProxies: ["127.0.0.2/32"], ja4Header: "x-ja4" };
const TRUSTED = "127.0.0.2";
const STRANGER = "127.0.0.3";

async function newApplicationGate() {
  const gate = createGate({ server, key, team: team.slug, project, log: SILENT, ...trusting, ja4Header: "X-JA4" });
  after(() => gate.close());
  await gate.ready;
  return gate;
}

const headersIn = (text: string) => (JSON.parse(text) as { headers: Record<string, string> }).headers;

describe("the digest of the client's handshake", () => {
  it("is read by rules in the proxy and within an application, when a trusted proxy says it", async () => {
    const upstream = (await listenOn(echo)).url;
    const proxy = await world.startGate({ hosts, upstream, ...trusting });
    const within = await listenOn((await newApplicationGate()).node(echo));
    for (const url of [proxy.url, within.url]) {
      const ask = async (ja4: string, ip: string) =>
        await sendTo(url, "/", { ip, headers: { host: "shop.test", "x-ja4": ja4 } });
      assert.equal((await ask(BAD, TRUSTED)).status, 403, url);
      const good = await ask(GOOD, TRUSTED);
      assert.deepEqual([good.status, headersIn(good.text)["x-ja4"]], [200, GOOD], url);
      // What a stranger claims reaches neither rules nor the application.
      const claimed = await ask(BAD, STRANGER);
      assert.deepEqual([claimed.status, headersIn(claimed.text)["x-ja4"]], [200, undefined], url);
      assert.equal((await ask(`${BAD}x`, TRUSTED)).status, 200, "it has another form");
    }
  });

  it("is read by rules that a proxy asks about", async () => {
    const { url } = await world.startGate({ hosts, ...trusting });
    const asked = { "x-forwarded-method": "GET", "x-forwarded-host": "shop.test" };
    const ask = async (target: string, ja4: object) => {
      const headers = { ...asked, "x-forwarded-uri": target, "x-forwarded-for": "203.0.113.7", ...ja4 };
      return (await sendTo(url, "/.well-known/reeve/check", { ip: TRUSTED, headers })).status;
    };
    assert.equal(await ask("/", { "x-ja4": BAD }), 403);
    const limited: number[] = [];
    for (let at = 0; at < 3; at++) limited.push(await ask("/limited", { "x-ja4": GOOD }));
    assert.deepEqual(limited, [204, 204, 429]);
    assert.equal(await ask("/limited", { "x-ja4": GOOD.replace("17", "18") }), 204);
    assert.equal(await ask("/limited", {}), 204);
  });

  it("is what the application says in `ja4` of a web-standard handler", async () => {
    const gate = await newApplicationGate();
    const handler = gate.fetch(async (request: Request) => Response.json(Object.fromEntries(request.headers)), {
      ja4: (request) => request.headers.get("x-from-runtime") ?? undefined,
    });
    const statusOf = async (headers: Record<string, string>) =>
      (await handler(new Request("http://shop.test/", { headers }))).status;
    assert.deepEqual(
      [
        await statusOf({ "x-from-runtime": BAD }),
        await statusOf({ "x-from-runtime": GOOD }),
        await statusOf({ "x-ja4": BAD }),
      ],
      [403, 200, 200],
    );
    const told = async (headers: Record<string, string>) => {
      const response = await handler(new Request("http://shop.test/", { headers }));
      return ((await response.json()) as Record<string, string>)["x-ja4"];
    };
    assert.deepEqual(
      [await told({ "x-ja4": BAD }), await told({ "x-ja4": BAD, "x-from-runtime": GOOD })],
      [undefined, GOOD],
    );
  });

  it("is unknown where no header is named", async () => {
    const { url } = await world.startGate({
      hosts,
      upstream: (await listenOn(echo)).url,
      trustedProxies: [`${TRUSTED}/32`],
    });
    const { status, headers } = await sendTo(url, "/", { ip: TRUSTED, headers: { host: "shop.test", "x-ja4": BAD } });
    assert.equal(status, 403, "the header is an ordinary one, which the second rule reads");
    assert.match(String(headers["x-reeve-decision"]), /^deny/);
  });
});

it("a JA4 digest has one form", () => {
  const forms = [BAD, GOOD, "q13i0310h3_55b375c5d22e_cd85d2d88918", "ts3d000000_000000000000_000000000000"];
  for (const text of forms) assert.equal(readJa4(text), text);
  for (const text of ["", "t13d1516h2", `${BAD} `, BAD.toUpperCase(), [BAD], undefined])
    assert.equal(readJa4(text), undefined);
});
