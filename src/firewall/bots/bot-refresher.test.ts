// What verified bots publish is read daily, kept while their hosts fail, and part of every bundle.
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { after, test } from "node:test";
import { startOwnApp, uniqueName } from "../../../test/harness/test-app.ts";
import type { BotSource } from "../../platform/kernel/bots.ts";
import { DAY_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import { listReadBots } from "./bots.ts";
import { openEgress } from "../../platform/egress/egress.ts";
import { startBotRefresher } from "./bot-refresher.ts";

const DIRECTORY = "/.well-known/http-message-signatures-directory";
const { x } = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });

interface Published {
  readonly status?: number;
  readonly type?: string;
  readonly body: string;
}
const published = new Map<string, Published>();
const asked: IncomingMessage[] = [];
const host = createServer((request, response) => {
  asked.push(request);
  const {
    status = 200,
    type = "application/json",
    body,
  } = published.get(request.url ?? "") ?? { status: 404, body: "" };
  response.writeHead(status, { "content-type": type, location: "/ranges.json" }).end(body);
});
host.listen(0, "127.0.0.1");
await once(host, "listening");
after(() => host.close());
const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;

const RANGES: BotSource = { name: "Examplebot", kind: "ranges", url: `${origin}/ranges.json` };
const AGENT: BotSource = { name: "Signer", kind: "agent", url: origin };

const { app, clock, createTeam, createUser, request } = await startOwnApp();
const user = await createUser();
const team = await createTeam(user);
const scope = `teamId=${team.id}&projectId=${uniqueName("shop")}`;
const put = await request("PUT", `/v1/firewalls?${scope}`, { token: user.token, body: { firewallEnabled: true } });
assert.equal(put.status, 200, put.text);

async function bots(): Promise<unknown> {
  const { body, text } = await request("GET", `/v1/gate/bundle?${scope}`, { token: user.token });
  assert.ok(Array.isArray(body.bots), text);
  return body.bots;
}

const egress = openEgress({ rules: { allow: ["127.0.0.1/32"], ports: [] }, dnsServers: null, addressFailureStepMs: 1 });
after(() => egress.close());
const warned: string[] = [];

/** As the server starts it, for these sources. */
function startFor(sources: readonly BotSource[]) {
  const refresher = startBotRefresher({
    sources,
    store: {
      list: async () => await listReadBots(app.runner.reader),
      save: (source, facts, now) => app.runner.changes.storeBot({ source, facts }, now),
      keep: (urls, now) => app.runner.changes.keepBots({ urls }, now),
    },
    egress,
    clock: () => clock.now,
    userAgent: "Reeve/test",
    logger: { info() {}, warn: (details: object) => void warned.push((details as { reason: string }).reason) },
  });
  after(() => refresher.stop());
  return refresher;
}

const publishRanges = (prefixes: unknown, more: Partial<Published> = {}) =>
  published.set("/ranges.json", { body: JSON.stringify({ prefixes }), ...more });
const publishKeys = (more: Partial<Published> = {}) =>
  published.set(DIRECTORY, {
    type: "application/http-message-signatures-directory+json; charset=utf-8",
    body: JSON.stringify({ keys: [{ kty: "OKP", crv: "Ed25519", x }] }),
    ...more,
  });

const FIRST = { name: "Examplebot", agent: null, networks: ["203.0.113.0/24"], keys: [] };

test("sources are read at once, and again after a day", async () => {
  publishRanges([{ ipv4Prefix: "203.0.113.0/24" }]);
  publishKeys();
  const refresher = startFor([RANGES, AGENT]);
  await refresher.refresh();
  assert.deepEqual(await bots(), [FIRST, { name: "Signer", agent: origin, networks: [], keys: [x] }]);
  assert.deepEqual(
    asked.map(({ method, url, headers }) => [method, url, headers["user-agent"]]),
    [
      ["GET", "/ranges.json", "Reeve/test"],
      ["GET", DIRECTORY, "Reeve/test"],
    ],
  );
  publishRanges([{ ipv6Prefix: "2001:db8::/32" }]);
  clock.advance(DAY_MS - MINUTE_MS);
  await refresher.refresh();
  assert.equal(asked.length, 2);
  clock.advance(2 * MINUTE_MS);
  await refresher.refresh();
  assert.equal(asked.length, 4);
  assert.deepEqual(((await bots()) as { networks: string[] }[])[0]?.networks, ["2001:db8::/32"]);
  await refresher.stop();
  publishRanges([{ ipv4Prefix: "203.0.113.0/24" }]);
  clock.advance(2 * DAY_MS);
  await startFor([RANGES, AGENT]).refresh();
});

test("what was read last stays while a host answers anything else", async () => {
  const known = await bots();
  const { url } = RANGES;
  for (const [change, expected] of [
    [() => published.delete("/ranges.json"), /expected status 200, got 404/],
    // The redirect leads to a good document.
    [() => publishRanges([{ ipv4Prefix: "203.0.113.0/24" }], { status: 302 }), /expected status 200, got 302/],
    [() => publishRanges([{ ipv4Prefix: "0.0.0.0/0" }]), /expected at least \/8/],
    [() => publishRanges([], { body: " ".repeat(1_100_000) }), /expected a whole document/],
  ] as const) {
    change();
    clock.advance(2 * DAY_MS);
    warned.length = 0;
    const refresher = startFor([RANGES, AGENT]);
    await refresher.refresh();
    await refresher.stop();
    assert.match(warned.join(), expected);
    assert.deepEqual(await bots(), known, url);
  }
  publishKeys({ type: "text/html" });
  clock.advance(2 * DAY_MS);
  warned.length = 0;
  await startFor([AGENT, RANGES]).refresh();
  assert.match(warned.join(), /expected the type application\/http-message-signatures-directory\+json, got text\/html/);
});

test("all bots together have a bound", async () => {
  const many = (from: number) =>
    Array.from({ length: 3_500 }, (_, at) => ({ ipv4Prefix: `${from}.${at >> 8}.${at & 255}.0/24` }));
  publishRanges(many(11));
  published.set("/more.json", { body: JSON.stringify({ prefixes: many(12) }) });
  publishKeys();
  clock.advance(2 * DAY_MS);
  warned.length = 0;
  const more: BotSource = { name: "Morebot", kind: "ranges", url: `${origin}/more.json` };
  await startFor([RANGES, more, AGENT]).refresh();
  assert.match(warned.join(), /expected at most 6000 networks and keys of all bots together/);
  assert.deepEqual(
    ((await bots()) as { name: string; networks: unknown[] }[]).map(({ name, networks }) => [name, networks.length]),
    [
      ["Examplebot", 3_500],
      ["Signer", 0],
    ],
  );
});

test("sources that are no longer named are forgotten, and addresses that are not public are not asked", async () => {
  await startFor([AGENT]).refresh();
  assert.deepEqual(
    ((await bots()) as { name: string }[]).map(({ name }) => name),
    ["Signer"],
  );
  warned.length = 0;
  await startFor([{ ...RANGES, url: RANGES.url.replace("127.0.0.1", "127.0.0.2") }]).refresh();
  assert.match(warned.join(), /expected/);
  await startFor([]).refresh();
  assert.deepEqual(await bots(), []);
});
