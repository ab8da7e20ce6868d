// Whose share a body takes: all keys of all teams that an account answers for have one share, together with the account's own credentials.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { mock, test } from "node:test";
import type { FastifyRequest } from "fastify";
import { waitFor } from "../../../../test/harness/wait-for.ts";
import { createBodyMemory } from "../limits/body-memory.ts";
import { createBodyReader } from "./read-body.ts";

const MIB = 1_048_576;

/** The fields of a caller that tell who answers for a request. */
const ownToken = (account: string) => ({ account: { id: account }, teamId: null, principalId: account });
const teamKey = (account: string | null, teamId: string) => ({
  account: null,
  responsibleId: account,
  teamId,
  principalId: `key-of-${teamId}`,
});

function openReader() {
  const done: string[] = [];
  const whenParsed = new Map<string, () => void>();
  const bodies = createBodyMemory(() => undefined, { all: 16 * MIB, each: 4 * MIB });
  const createParser = createBodyReader({ bodies, recordReceived: () => undefined });
  return {
    done,
    whenParsed,
    /** Begins a body; what it returns completes it, and returns the response. */
    begin(name: string, caller: object, bytes: number) {
      const payload = new PassThrough({ highWaterMark: 2 * MIB });
      const response = new EventEmitter();
      const request = { caller, ip: "192.0.2.1", headers: {}, routeOptions: { bodyLimit: 2 * MIB }, response };
      const parse = createParser(() => {
        done.push(name);
        whenParsed.get(name)?.();
      });
      const finish = (error: Error | null) => void (error && done.push(`${name} refused`));
      void parse(request as unknown as FastifyRequest, payload as unknown as IncomingMessage, finish);
      payload.write(Buffer.alloc(bytes));
      return () => {
        payload.end();
        return response;
      };
    },
  };
}

test("bodies of all teams of an account share the account's memory", async () => {
  const { begin, done } = openReader();
  for (let team = 1; team <= 3; team++) begin(`team ${team}`, teamKey("greedy", `team-${team}`), MIB);
  begin("own", ownToken("greedy"), MIB / 2);
  begin("last", teamKey("greedy", "team-4"), MIB);
  begin("other", teamKey("other", "team-1"), MIB);
  begin("nobody's", teamKey(null, "team-5"), MIB);
  await waitFor("a refusal", () => done.length > 0);
  assert.deepEqual(done, ["last refused"]);
});

test("large bodies of all teams of an account take one turn among those of others", async () => {
  mock.method(performance, "now", () => 0);
  const { begin, done } = openReader();
  for (let team = 1; team <= 3; team++) begin(`team ${team}`, teamKey("greedy", `team-${team}`), 10_000)();
  begin("own", ownToken("greedy"), 10_000)();
  begin("quiet", teamKey("quiet", "team-1"), 10_000)();
  await waitFor("all bodies", () => done.length === 5);
  mock.restoreAll();
  assert.deepEqual(done, ["team 1", "quiet", "team 2", "team 3", "own"]);
});

test("a body whose client has gone is not parsed", async () => {
  mock.method(performance, "now", () => 0);
  const { begin, done, whenParsed } = openReader();
  begin("first", ownToken("a"), 10_000)();
  const gone = begin("gone", ownToken("a"), 10_000)();
  begin("last", ownToken("a"), 10_000)();
  whenParsed.set("first", () => gone.emit("close"));
  const last = Promise.withResolvers<void>();
  whenParsed.set("last", last.resolve);
  await last.promise;
  mock.restoreAll();
  assert.deepEqual(done, ["first", "last"]);
});
