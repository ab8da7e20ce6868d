// Applications that ask for the limit of a rule by its id, as checkRateLimit of @vercel/firewall does; test/clients has that program itself.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { after, describe, it } from "node:test";
import { createGate } from "../../src/gate/middleware.ts";
import { freePort } from "../harness/free-port.ts";
import { waitFor } from "../harness/wait-for.ts";
import { SILENT, echo, listenOn, sendTo, startGateWorld } from "./gate-world.ts";
import type { GateAnswer } from "./gate-world.ts";
import { roomyWindow } from "./roomy-window.ts";

const world = await startGateWorld();
const { team } = world;

const SECRET = "a secret of sixteen or more";
const limit = (action: string, keys = ["ip"]) => ({
  action: "rate_limit",
  rateLimit: { algo: "fixed_window", window: roomyWindow(), limit: 2, keys, action },
});
const rule = (name: string, mitigate: object, ...conditions: object[]) => ({
  name,
  active: true,
  conditionGroup: [{ conditions }],
  action: { mitigate },
});
const named = (value: string | readonly string[]) => ({
  type: "rate_limit_api_id",
  op: typeof value === "string" ? "eq" : "inc",
  value,
});
const CONFIGURATION = {
  firewallEnabled: true,
  ips: [{ hostname: "*", ip: "203.0.113.66", action: "deny" }],
  rules: [
    rule("everything", limit("rate_limit"), { type: "path", op: "pre", value: "/" }),
    rule("login", limit("rate_limit"), named("login")),
    rule("strict", limit("deny", ["header:x-user"]), named(["strict", "Very Strict/ü"])),
    rule("office", { action: "deny" }, named("reset"), { type: "ip_address", op: "eq", value: "203.0.113.9" }),
    rule("staff", { action: "deny" }, named("reset"), { type: "header", key: "x-role", op: "eq", value: "staff" }),
    rule("challenged", { action: "challenge" }, named("challenged")),
    { ...rule("off", { action: "deny" }, named("off")), active: false },
    rule("not", { action: "log" }, { ...named("negated"), neg: true }, named("login")),
  ],
};

const project = await world.newProject(CONFIGURATION);
const hosts = [{ host: "shop.test", team: team.slug, project }];
const gate = await world.startGate({ hosts, rateLimitSecret: SECRET });

/** As the client makes it. */
const keyOf = (key: string, id: string, secret = SECRET) => `${key}-${hash("sha256", key + id + secret, "hex")}`;

interface Asked {
  readonly url?: string;
  readonly key?: string;
  readonly host?: string;
  readonly method?: string;
  readonly original?: Readonly<Record<string, string>>;
}

async function ask(id: string, key: string, { url = gate.url, original = {}, ...more }: Asked = {}) {
  const { key: whole = keyOf(key, id), host = "shop.test", method = "GET" } = more;
  const originals = Object.entries(original).map(([name, value]) => [`x-rr-${name}`, value]);
  const headers = { host, "x-vercel-rate-limit-key": whole, ...Object.fromEntries(originals) };
  return await sendTo(url, `/.well-known/vercel/rate-limit-api/${encodeURIComponent(id)}`, { headers, method });
}

async function statuses(times: number, send: () => Promise<GateAnswer>): Promise<readonly number[]> {
  const found: number[] = [];
  for (let at = 0; at < times; at++) found.push((await send()).status);
  return found;
}

describe("an application that asks for the limit of a rule", () => {
  it("is told when the key is over it, and for how long, whatever the keys of the rule", async () => {
    assert.deepEqual(await statuses(3, () => ask("login", "user-1")), [204, 204, 429]);
    const { status, headers } = await ask("LOGIN", "user-1", { key: keyOf("user-1", "LOGIN") });
    assert.equal(status, 204, "another spelling of the id proves another key");
    const limited = await ask("login", "user-1");
    const retryAfter = Number(limited.headers["retry-after"]);
    assert.ok(retryAfter > 0 && retryAfter <= 3_600, String(retryAfter));
    assert.match(String(limited.headers["x-reeve-decision"]), /^rate_limit; rule=\w+; version=1; id=\w+$/);
    assert.match(String(headers["x-reeve-decision"]), /^log; rule=\w+; version=1; id=\w+$/);
    assert.deepEqual(await statuses(1, () => ask("login", "user-2")), [204]);
  });

  it("is told that it is blocked when the limit denies or challenges", async () => {
    const original = { "x-user": "always the same" };
    assert.deepEqual(await statuses(3, () => ask("strict", "a", { original })), [204, 204, 403]);
    assert.deepEqual(await statuses(3, () => ask("Very Strict/ü", "b", { original })), [204, 204, 403]);
    assert.equal((await ask("challenged", "a")).status, 403);
  });

  it("is judged by the headers and the address of the request that it serves", async () => {
    assert.equal((await ask("reset", "a", { original: { "x-real-ip": "203.0.113.9" } })).status, 403);
    assert.equal((await ask("reset", "a", { original: { "x-real-ip": "203.0.113.8" } })).status, 204);
    assert.equal((await ask("reset", "a", { original: { "x-real-ip": "no address" } })).status, 204);
    assert.equal((await ask("reset", "a", { original: { "x-role": "staff" } })).status, 403);
    // Rules without an id, and addresses, were applied when that request came.
    assert.equal((await ask("reset", "a", { original: { "x-real-ip": "203.0.113.66" } })).status, 204);
  });

  it("is told of ids that no active rule names", async () => {
    for (const id of ["unknown", "off", "negated"]) assert.equal((await ask(id, "a")).status, 404, id);
    assert.equal((await ask("login", "a", { host: "other.test" })).status, 404);
    for (const path of ["", "/", "/%ff", "/a/b", `/${"a".repeat(201)}`]) {
      const { status } = await sendTo(gate.url, `/.well-known/vercel/rate-limit-api${path}`, {
        headers: { host: "shop.test", "x-vercel-rate-limit-key": keyOf("a", "") },
      });
      assert.equal(status, 404, path);
    }
  });

  it("has to know the secret, and nobody else uses up the limit of a client", async () => {
    const wrong = ["", "victim", keyOf("victim", "login", ""), keyOf("victim", "login", "another secret"), "-"];
    for (const key of [...wrong, keyOf("victim", "strict")]) {
      const { status, text } = await ask("login", "victim", { key });
      assert.deepEqual([status, text.includes("REEVE_GATE_RATE_LIMIT_SECRET")], [403, true], key);
    }
    assert.deepEqual(await statuses(2, () => ask("login", "victim")), [204, 204]);
    assert.equal((await ask("login", "victim", { method: "POST" })).status, 405);
  });

  it("cannot ask while the gate has no secret, and the log alone names the setting: anybody may ask", async () => {
    const logged: string[] = [];
    const log = { ...SILENT, warn: (_details: object, message: string) => void logged.push(message) };
    const { url } = await world.startGate({ hosts }, { log });
    const { status, text } = await ask("login", "a", { url });
    assert.deepEqual([status, text], [404, "Not found.\n"]);
    assert.ok(logged.some((message) => message.includes("REEVE_GATE_RATE_LIMIT_SECRET")));
  });

  it("is answered by the policies where the gate has no bundle, and where it only detects", async () => {
    const away = { server: `http://127.0.0.1:${await freePort()}` };
    const open = await world.startGate({ hosts, rateLimitSecret: SECRET }, away);
    assert.equal((await ask("login", "a", open)).status, 204);
    const closed = await world.startGate({ hosts, rateLimitSecret: SECRET, whenNoBundle: "closed" }, away);
    assert.equal((await ask("login", "a", closed)).status, 403);
    const detecting = await world.startGate({ hosts, rateLimitSecret: SECRET, detectOnly: ["all"] });
    assert.deepEqual(await statuses(3, () => ask("login", "a", detecting)), [204, 204, 204]);
  });

  it("is counted in the traffic of the project once it is refused", async () => {
    const own = await world.newProject(CONFIGURATION);
    const { url, close } = await world.startGate({
      hosts: [{ host: "*", team: team.slug, project: own }],
      rateLimitSecret: SECRET,
    });
    const original = { "x-real-ip": "203.0.113.7" };
    assert.deepEqual(await statuses(3, () => ask("login", "a", { url, original })), [204, 204, 429]);
    await close();
    const path = `/v1/security/firewall/events?teamId=${team.id}&projectId=${own}`;
    const actions = await waitFor("the counts", async () => {
      const { body } = await world.request("GET", path, { token: world.user.token });
      return body.actions.length > 0 ? body.actions : undefined;
    });
    const [{ action, ruleName, public_ip: ip, count }] = actions.filter(
      (one: { action: string }) => one.action !== "log",
    );
    assert.deepEqual([action, ruleName, ip, count], ["rate_limit", "login", "203.0.113.7", 1]);
  });
});

describe("every way in front of an application", () => {
  const application = createGate({
    server: world.server,
    key: world.key,
    team: team.slug,
    project,
    log: SILENT,
    rateLimitSecret: SECRET,
  });
  after(() => application.close());

  it("answers in proxy mode and within an application, also under attack", async () => {
    await application.ready;
    const upstream = (await listenOn(echo)).url;
    const proxy = await world.startGate({ hosts, upstream, rateLimitSecret: SECRET });
    const within = (await listenOn(application.node(echo))).url;
    await world.setAttackMode(project, true);
    await waitFor("attack challenge mode", async () => {
      const answers = await Promise.all(
        [proxy.url, within].map((url) => sendTo(url, "/", { headers: { host: "shop.test" } })),
      );
      return answers.every(({ status }) => status === 403) || undefined;
    });
    for (const url of [proxy.url, within]) {
      assert.deepEqual(await statuses(3, () => ask("login", "ways", { url })), [204, 204, 429], url);
    }
    const handler = application.fetch(async (request: Request) => new Response(request.url));
    const headers = { "x-vercel-rate-limit-key": keyOf("fetch", "login") };
    const fetched: number[] = [];
    for (let at = 0; at < 3; at++) {
      const url = "http://shop.test/.well-known/vercel/rate-limit-api/login";
      fetched.push((await handler(new Request(url, { headers }))).status);
    }
    assert.deepEqual(fetched, [204, 204, 429]);
    await world.setAttackMode(project, false);
  });

  it("tells the application the address of the client, which is what the client counts, and no claimed one", async () => {
    const open = await world.newProject();
    const upstream = (await listenOn(echo)).url;
    const own = createGate({ server: world.server, key: world.key, team: team.slug, project: open, log: SILENT });
    after(() => own.close());
    await own.ready;
    const proxy = await world.startGate({ hosts: [{ host: "*", team: team.slug, project: open }], upstream });
    for (const url of [proxy.url, (await listenOn(own.node(echo))).url]) {
      const claimed = { host: "shop.test", "x-real-ip": "198.51.100.1", "x-forwarded-for": "203.0.113.7" };
      const { text } = await sendTo(url, "/", { headers: claimed });
      assert.equal((JSON.parse(text) as { headers: Record<string, string> }).headers["x-real-ip"], "203.0.113.7", url);
    }
    const handler = own.fetch(async (request: Request) => new Response(request.headers.get("x-real-ip")));
    const request = new Request("http://shop.test/", { headers: { "x-real-ip": "198.51.100.1" } });
    assert.equal(await (await handler(request)).text(), "");
  });
});
