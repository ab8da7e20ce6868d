// Names that resolve to something else at each look-up, at a DNS server of the test: no connection ever reaches a refused address.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startNameServer } from "./name-server.ts";
import type { Answer } from "./name-server.ts";
import { httpResponse, startReceiver } from "./receiver.ts";
import { openSender, describeOutcome } from "./sender.ts";

const ALLOWED = "127.0.0.2";
const REFUSED = "127.0.0.3";

/** Each connection serves one request, so that each request needs a look-up. */
const closing = httpResponse(200, "", { Connection: "close" });

const names = await startNameServer(() => "no such name");
const allowed = await startReceiver((socket) => socket.end(closing), { host: ALLOWED });
const refused = await startReceiver((socket) => socket.end(closing), { host: REFUSED, port: allowed.port });
/** A question is asked again after a fifth of the time for a connection. */
const openAsking = (connectTimeoutMs: number) =>
  openSender({
    rules: { allow: [`${ALLOWED}/32`], ports: [[allowed.port, allowed.port]] },
    dnsServers: [names.address],
    connectTimeoutMs,
    addressFailureStepMs: 1,
  });
// Questions are counted, so that none is asked again because the machine is slow.
const patient = openAsking(600_000);
const hasty = openAsking(2_500);

const send = async (name = "hooks.example.com", { send: sendTo } = patient) =>
  describeOutcome(await sendTo({ url: `http://${name}:${allowed.port}/hook` }));

/** The addresses of the family that a question asks for. */
function addresses(...values: readonly string[]): (question: { readonly type: string }) => Answer {
  return ({ type }) =>
    values
      .map((value) => ({ type: value.includes(":") ? "AAAA" : "A", value }) as const)
      .filter((found) => found.type === type);
}

describe("a name", () => {
  test("is looked up once for each connection, and it is the name of the URL", async () => {
    names.answer = addresses(ALLOWED);
    const asked = names.questions.length;
    assert.equal(await send(), "200");
    assert.deepEqual(
      names.questions
        .slice(asked)
        .map(({ name, type }) => `${name} ${type}`)
        .toSorted(),
      ["hooks.example.com A", "hooks.example.com AAAA"],
    );
    assert.match(
      allowed.requests.at(-1) ?? "",
      new RegExp(`^POST /hook HTTP/1.1\r\nhost: hooks.example.com:${allowed.port}\r\n`),
    );
  });

  test("that resolves elsewhere after the check is connected to at the address that was checked", async () => {
    // A second look-up, for the connection, would return the refused address.
    for (let round = 0; round < 10; round++) {
      let questions = 0;
      names.answer = (question) => addresses(questions++ < 2 ? ALLOWED : REFUSED)(question);
      assert.equal(await send(), "200");
      assert.equal(questions, 2);
      assert.equal(
        await send(),
        `refused: expected a public address, hooks.example.com has loopback (127.0.0.0/8) (REEVE_EGRESS_ALLOW=${REFUSED} would allow it)`,
      );
    }
    assert.equal(refused.connections, 0);
  });

  test("that changes at every look-up never leads to a refused address, however many requests there are at a time", async () => {
    const arrivedBefore = allowed.requests.length;
    let questions = 0;
    names.answer = (question) => addresses(questions++ % 3 === 0 ? REFUSED : ALLOWED)(question);
    const outcomes: string[] = [];
    for (let round = 0; round < 10; round++) {
      outcomes.push(...(await Promise.all(Array.from({ length: 20 }, (_, at) => send(`hook-${at}.example.com`)))));
    }
    const arrived = outcomes.filter((outcome) => outcome === "200").length;
    assert.ok(arrived > 0 && arrived < outcomes.length, `${arrived} arrived`);
    assert.equal(allowed.requests.length - arrivedBefore, arrived);
    assert.ok(outcomes.every((outcome) => outcome === "200" || outcome.startsWith("refused: ")));
    assert.equal(refused.connections, 0);
  });

  test("with a refused address among others is refused, wherever that is in the list", async () => {
    for (const mixed of [
      [ALLOWED, REFUSED],
      [REFUSED, ALLOWED],
      [ALLOWED, "::1"],
      [ALLOWED, "::ffff:7f00:3"],
      [ALLOWED, "0.0.0.0"],
    ]) {
      names.answer = addresses(...mixed);
      assert.match(await send(), /^refused: /, mixed.join(" "));
    }
    assert.equal(refused.connections, 0);
  });

  test("is judged by the addresses at the end of its aliases", async () => {
    const chain = (value: string) => (question: { readonly type: string }) =>
      question.type === "A"
        ? ([
            { type: "CNAME", value: "alias.example.net" },
            { name: "alias.example.net", type: "CNAME", value: "internal.example.org" },
            { name: "internal.example.org", type: "A", value },
          ] as const)
        : [];
    names.answer = chain(REFUSED);
    assert.match(await send(), /^refused: /);
    names.answer = chain(ALLOWED);
    assert.equal(await send(), "200");
    names.answer = () => [{ type: "CNAME", value: "localhost" }];
    assert.match(await send(), /^dns: /);
    assert.equal(refused.connections, 0);
  });

  test("without an address fails at the stage of DNS", async () => {
    for (const [answer, expected] of [
      ["no such name", "dns: hooks.example.com could not be resolved (ENOTFOUND)"],
      ["failure", "dns: hooks.example.com could not be resolved (ESERVFAIL)"],
      [[], "dns: hooks.example.com could not be resolved (ENODATA)"],
    ] as const) {
      names.answer = () => answer;
      assert.equal(await send(), expected);
    }
  });

  test("without a response fails in time, and a response for one family is enough", async () => {
    names.answer = (question) =>
      question.name.startsWith("silent") || question.type === "AAAA" ? "silence" : addresses(ALLOWED)(question);
    assert.deepEqual(await Promise.all([send("silent.example.com", hasty), send("half.example.com", hasty)]), [
      "dns: silent.example.com could not be resolved (ETIMEOUT)",
      "200",
    ]);
  });

  test("is looked up once for all requests that wait for it", async () => {
    names.answer = addresses(ALLOWED);
    const asked = names.questions.length;
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => send("busy.example.com")));
    assert.deepEqual(new Set(outcomes), new Set(["200"]));
    assert.equal(names.questions.length - asked, 2);
  });

  test("of the system is checked in the same way", async () => {
    const { port } = allowed;
    const local = async (...allow: string[]) => {
      const { send: sendLocally } = openSender({ rules: { allow, ports: [[port, port]] } });
      return describeOutcome(await sendLocally({ url: `http://localhost:${port}/hook` }));
    };
    assert.match(await local(), /^refused: /);
    // Another server listens there, or none: the request gets no further than the connection.
    assert.match(await local("127.0.0.1/32", "::1/128"), /^connect: /);
    assert.equal(refused.connections, 0);
  });
});
