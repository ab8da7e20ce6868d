// Ten concurrent writers of one project's firewall, through two processes where the engine allows it: no update is lost, no
// number is used twice or left out, and concurrent reads are consistent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { verifyEvents } from "../../src/cli/bodies/verify-events.ts";
import { denyPath, firewallEvents, openFirewall, outcome } from "../resources/firewalls.ts";
import type { Firewall } from "../resources/firewalls.ts";
import { ENGINE, send, startOwnApp } from "../harness/test-app.ts";
import type { Body, RequestOptions, TestUser } from "../harness/test-app.ts";
import { patiently } from "../harness/wait-for.ts";

const client = await startOwnApp();
const { createUser } = client;
// The embedded store belongs to one process.
const other = ENGINE === "postgres" ? await client.startAnother() : client.app;
/** The two processes. Where writers wait too long for their owner's lock, they are told to come again, and have changed nothing. */
const processes = [client.app, other].map((app) => ({
  request: patiently((method: string, url: string, options: RequestOptions = {}) => send(app, method, url, options)),
}));
const processOf = (writer: number) => processes[writer % 2] as (typeof processes)[number];

const WRITERS = 10;
const STEPS = 2;
const TOTAL = WRITERS * STEPS;

interface Contest {
  readonly user: TestUser;
  readonly firewall: Firewall;
  /** The same firewall, through the process of the writer with this number. */
  of(writer: number): Firewall;
}

async function openContest(): Promise<Contest> {
  const user = await createUser();
  const [firewall, beside] = [0, 1].map((at) => openFirewall(processOf(at), user.token)) as [Firewall, Firewall];
  return { user, firewall, of: (writer) => (writer % 2 === 0 ? firewall : beside) };
}

const atOnce = <T>(count: number, work: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)));

/** Each writer executes its steps one after the other. */
const inSteps = (work: (writer: number, step: number) => Promise<void>) =>
  atOnce(WRITERS, async (writer) => {
    for (let step = 0; step < STEPS; step++) await work(writer, step);
  });

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const numbersOf = (versions: readonly Body[]) => versions.map(({ version }) => version).toSorted((a, b) => a - b);
const namesOf = ({ rules }: Body): string[] => rules.map(({ name }: Body) => name);
const EXPECTED = Array.from({ length: TOTAL }, (_, at) => `w${Math.floor(at / STEPS)}-${at % STEPS}`);

/** Retries until no other writer interferes; every other response must have one of these codes. */
async function insist(codes: readonly string[], attempt: () => Promise<{ status: number; body: Body; text: string }>) {
  for (;;) {
    const { status, body, text } = await attempt();
    if (status === 200) return;
    assert.ok(codes.includes(body.error?.code), text);
  }
}

/** All versions exist, each once; the chain has an event for each, in order, with its predecessor. */
async function checkHistory({ user, firewall }: Contest, last: number): Promise<void> {
  const { active, versions } = await firewall.list("limit=100");
  assert.deepEqual(numbersOf(versions), upTo(last));
  assert.deepEqual(new Set(versions.map(({ id }: Body) => id)).size, last);
  const events = await firewallEvents(client, user.id);
  const made = events.filter(({ type }) => type === "firewall-config-modified");
  assert.deepEqual(
    made.map(({ payload }) => payload.configVersion),
    upTo(last),
  );
  let previous: number | null = null;
  for (const { payload } of events.filter(({ type }) => type === "firewall-config-promoted")) {
    assert.equal(payload.previousVersion, previous);
    previous = payload.configVersion;
  }
  assert.equal(active.version, previous);
  assert.equal((await verifyEvents(client.settings)).firstFault, null);
}

for (const way of ["If-Match", "expectedVersion"] as const) {
  test(`writers who read, add a rule and PUT by ${way} lose none`, async () => {
    const contest = await openContest();
    await contest.firewall.set();
    await inSteps((writer, step) =>
      insist(["revision_mismatch", "version_conflict"], async () => {
        const { body, headers } = await contest.of(writer).get();
        const wanted = { ...body, rules: [...body.rules, denyPath(`w${writer}-${step}`)] };
        return way === "If-Match"
          ? await contest.of(writer).put(wanted, { "if-match": headers["etag"] as string })
          : await contest.of(writer).put({ ...wanted, expectedVersion: body.version });
      }),
    );
    assert.deepEqual(namesOf(await contest.firewall.read()).toSorted(), EXPECTED);
    await checkHistory(contest, TOTAL + 1);
  });
}

test("concurrent writers who insert rules without a precondition lose none, and each creates a version", async () => {
  const contest = await openContest();
  const responses = await atOnce(TOTAL, (at) =>
    contest.of(at).patch({ action: "rules.insert", value: denyPath(EXPECTED[at] as string) }),
  );
  assert.deepEqual(new Set(responses.map(outcome)), new Set(["ok"]));
  assert.deepEqual(numbersOf(responses.map(({ body }) => body)), upTo(TOTAL));
  for (const { body, headers } of responses) {
    assert.deepEqual([body.rules.length, headers["etag"]], [body.version, `"${body.version}"`]);
  }
  assert.deepEqual(namesOf(await contest.firewall.read()).toSorted(), EXPECTED);
  await checkHistory(contest, TOTAL);
});

test("concurrent writers who stage changes in one draft lose none, and each gets a revision of its own", async () => {
  const contest = await openContest();
  await contest.firewall.set();
  const responses = await atOnce(TOTAL, (at) =>
    contest.of(at).stage({ action: "rules.insert", value: denyPath(EXPECTED[at] as string) }),
  );
  assert.deepEqual(new Set(responses.map(outcome)), new Set(["ok"]));
  assert.equal(new Set(responses.map(({ headers }) => headers["etag"])).size, TOTAL);
  const draft = await contest.firewall.read("draft");
  assert.deepEqual([draft.changes.length, draft.version], [TOTAL, 2]);
  assert.deepEqual(namesOf(draft).toSorted(), EXPECTED);
  const activated = await atOnce(WRITERS, (at) => contest.of(at).activate("draft"));
  assert.deepEqual(
    activated.map(outcome).toSorted(),
    upTo(WRITERS)
      .map((at) => (at === 1 ? "ok" : "not_found"))
      .toSorted(),
  );
  assert.deepEqual(namesOf(await contest.firewall.read()), namesOf(draft));
  await checkHistory(contest, 2);
});

test("of first drafts that require that there is none, one is stored, and the others are told of it", async () => {
  const contest = await openContest();
  await contest.firewall.set();
  const first = async (names: readonly string[]) =>
    await atOnce(names.length, (at) =>
      contest.of(at).stage({ action: "rules.insert", value: denyPath(names[at] as string) }, { "if-none-match": "*" }),
    );
  // Once where no draft has ever been, and once where one has been discarded.
  for (const round of ["never", "again"]) {
    const responses = await first(upTo(WRITERS).map((at) => `${round}${at}`));
    const stored = responses.filter(({ status }) => status === 200);
    assert.equal(stored.length, 1, responses.map(outcome).join(" "));
    const draft = await contest.firewall.get("draft");
    assert.deepEqual([draft.body, draft.body.changes.length], [stored[0]?.body, 1]);
    const etag = draft.headers["etag"];
    for (const { status, body, headers } of responses.filter((response) => response !== stored[0])) {
      assert.deepEqual(
        [status, body.error, headers["etag"]],
        [
          412,
          {
            code: "revision_mismatch",
            message: `If-None-Match: expected none yet, and there is one: read it, and send its ETag, ${etag}, as If-Match`,
            etag,
          },
          etag,
        ],
      );
    }
    assert.equal((await contest.firewall.discard()).status, 204);
  }
});

test("staging, activating and discarding a draft while others change the active version loses no activated change", async () => {
  const contest = await openContest();
  await contest.firewall.set();
  const activated: string[] = [];
  await Promise.all([
    inSteps(async (writer, step) => {
      const name = `w${writer}-${step}`;
      const { status } = await contest.of(writer).patch({ action: "rules.insert", value: denyPath(name) });
      assert.equal(status, 200);
    }),
    inSteps(async (writer, step) => {
      const firewall = contest.of(writer);
      const name = `d${writer}-${step}`;
      const staged = await firewall.stage({ action: "rules.insert", value: denyPath(name) });
      assert.equal(staged.status, 200, staged.text);
      const tag = { "if-match": staged.headers["etag"] as string };
      // If no other writer staged changes meanwhile, this draft is activated or discarded.
      if (writer % 3 === 0) {
        assert.ok(["ok", "revision_mismatch", "not_found"].includes(outcome(await firewall.discard(tag))));
        return;
      }
      const response = await firewall.activate("draft", {}, tag);
      if (response.status === 200) activated.push(name);
      else assert.ok(["revision_mismatch", "not_found"].includes(outcome(response)), response.text);
    }),
  ]);
  const names = namesOf(await contest.firewall.read());
  assert.deepEqual(names.filter((name) => name.startsWith("w")).toSorted(), EXPECTED);
  for (const name of activated) assert.ok(names.includes(name), name);
  assert.equal(new Set(names).size, names.length, "no change is made twice");
  const { versions } = await contest.firewall.list("limit=1");
  await checkHistory(contest, versions[0].version);
});

test("versions that are activated alternately follow one another, and each PUT between them creates the next", async () => {
  const contest = await openContest();
  for (const name of ["a", "b", "c"]) await contest.firewall.set({ rules: [denyPath(name)] });
  const responses = await atOnce(TOTAL, (at) =>
    at % 3 === 0
      ? contest.of(at).put({ firewallEnabled: true, rules: [denyPath(`p${at}`)] })
      : contest.of(at).activate((at % 3) + 1),
  );
  assert.deepEqual(new Set(responses.map(outcome)), new Set(["ok"]));
  await checkHistory(contest, 3 + Math.ceil(TOTAL / 3));
});

test("ten concurrent first PUTs of ten projects, and of one, create each project once", async () => {
  const user = await createUser();
  const puts = await atOnce(WRITERS * 2, (at) =>
    openFirewall(processOf(at), user.token, at < WRITERS ? "one" : `own-${at}`).put({
      firewallEnabled: true,
      rulesets: { at },
    }),
  );
  assert.deepEqual(new Set(puts.map(outcome)), new Set(["ok"]));
  assert.deepEqual(numbersOf(puts.slice(0, WRITERS).map(({ body }) => body.active)), upTo(WRITERS));
  assert.deepEqual(new Set(puts.slice(WRITERS).map(({ body }) => body.active.version)), new Set([1]));
});

test("concurrent reads see a consistent state", async () => {
  const contest = await openContest();
  await contest.firewall.set({ rules: [denyPath("a", { id: "a" })] });
  const writing = { isOver: false };
  const readers = atOnce(4, async (at) => {
    let count = 0;
    while (!writing.isOver) {
      // On the embedded store a read ends within its turn: the writers need turns too.
      await setImmediate();
      const { active, draft, versions } = await contest.of(at).list("limit=100");
      assert.ok(
        versions.some(({ version }: Body) => version === active.version),
        "the active version is listed",
      );
      assert.equal(active.rules.length, 1);
      if (draft) {
        // A draft removes the existing rule and adds another one.
        assert.equal("conflicts" in draft, false, JSON.stringify(draft.conflicts));
        assert.ok(draft.rules.length <= 2);
      }
      count++;
    }
    return count;
  });
  for (let step = 0; step < WRITERS; step++) {
    const firewall = contest.of(step);
    const [{ id }] = (await firewall.read()).rules;
    await firewall.stage({ action: "rules.insert", value: denyPath("a") });
    await firewall.stage({ action: "rules.remove", id });
    assert.equal((await firewall.activate("draft")).status, 200);
  }
  writing.isOver = true;
  for (const count of await readers) assert.ok(count > 0);
});
