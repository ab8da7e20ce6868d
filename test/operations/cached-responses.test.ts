// Every change beside every read: the response after the change, be it a cached one, is what a response made anew shows, in the process
// that made the change and in another one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isMutation } from "../../src/platform/kernel/contract.ts";
import { ENGINE, send } from "../harness/test-app.ts";
import type { Example } from "./example-things.ts";
import { OPERATIONS, call, exampleOf, urlOf } from "./operation-call.ts";
import { createWorld } from "./world.ts";

const world = await createWorld();
const { app, owner, team } = world;
const other = await world.startAnother();
const member = await world.addMember(team, "DEVELOPER");

/** How a process learns of a change differs by engine, and not by change: PostgreSQL has a quarter of them. */
const changes = OPERATIONS.filter(({ endpoint }) => isMutation(endpoint) || endpoint.recordsWhen !== undefined).filter(
  (_, at) => ENGINE === "sqlite" || at % 4 === 0,
);
const reads = OPERATIONS.filter(
  ({ endpoint }) => endpoint.method === "GET" && !endpoint.isLive && !endpoint.recordsAlways,
);

interface Read {
  readonly path: string;
  readonly example: Example;
  /** It is cached while others change, so the other process reads it too. */
  readonly isKept: boolean;
}

const ordinary: Read[] = [];
for (const { id, endpoint } of reads) {
  const { query = {}, ...example } = await exampleOf({ id, endpoint }, world);
  const { [endpoint.recordsWhen ?? ""]: _recorded, ...rest } = query;
  ordinary.push({
    path: endpoint.path,
    example: { ...example, query: rest },
    isKept: endpoint.readsOwnerOnly === true,
  });
}

/** Any change ends what is not kept, so each looks at some of these, by turns. */
const TURNS = 8;
let turn = 0;

/** The values of `from` by those names that `of` has. */
function take(from: Readonly<Record<string, string>> = {}, of: Readonly<Record<string, string>> = {}) {
  return Object.fromEntries(Object.entries(from).filter(([name]) => name in of));
}

/** The same read of that which the change is about. */
function aboutChange({ path, example, isKept }: Read, change: Example): Read {
  const params = { ...example.params, ...take(change.params, example.params) };
  return {
    path,
    example: { ...example, params, query: { ...example.query, ...take(change.query, example.query) } },
    isKept,
  };
}

let asked = 0;

/** A response; one that is made anew, because no cached one is for such a client. */
async function readAs(server: typeof app, token: string, { path, example }: Read, isNew: boolean): Promise<string> {
  const headers = isNew ? { "user-agent": `client ${asked++}` } : {};
  const { status, text } = await send(server, "GET", urlOf(path, example), { token, headers });
  // What it says of the disk and of itself changes by itself.
  return `${status} ${text.replace(/"requestId":"[^"]*"|\d+ MiB free/g, "")}`;
}

const callers = [owner, member];

async function assertCurrent(server: typeof app, read: Read, token: string, what: string): Promise<void> {
  const is = await readAs(server, token, read, false);
  const shouldBe = await readAs(server, token, read, true);
  if (is === shouldBe) return;
  // Background work may have changed it between the two.
  assert.equal(await readAs(server, token, read, false), await readAs(server, token, read, true), what);
}

for (const operation of changes) {
  test(`${operation.id}: every read shows what it has changed`, async () => {
    const { recordsWhen } = operation.endpoint;
    const example = await exampleOf(operation, world);
    const change = recordsWhen ? { ...example, query: { ...example.query, [recordsWhen]: "true" } } : example;
    turn++;
    const all = ordinary.flatMap((read, at) => {
      if (!read.isKept) return (at + turn) % TURNS === 0 ? [read] : [];
      const about = aboutChange(read, change);
      return urlOf(about.path, about.example) === urlOf(read.path, read.example) ? [read] : [read, about];
    });
    for (const read of all) {
      for (const { token } of callers) await readAs(app, token, read, false);
      if (read.isKept) await readAs(other, owner.token, read, false);
    }
    const { status, text } = await call(operation, world, change);
    assert.ok(status < 300, text);
    for (const read of all) {
      for (const { token } of callers) {
        const what = `GET ${urlOf(read.path, read.example)} after ${operation.id}`;
        await assertCurrent(app, read, token, what);
      }
      const what = `GET ${urlOf(read.path, read.example)} after ${operation.id}, in the other process`;
      if (read.isKept) await assertCurrent(other, read, owner.token, what);
    }
  });
}
