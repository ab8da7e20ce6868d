// `reeve events tail` on connections that break, what is no list of Reeve, and mistakes on a command line that asks for JSON.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { reply, startScripted } from "../client/scripted-server.ts";
import type { Step } from "../client/scripted-server.ts";
import { runReeve } from "./in-process.ts";
import { startReeve } from "./reeve-process.ts";

const REMOTE = { REEVE_TOKEN: "a_token_of_this_test_alone" };

test("a tail whose connection breaks goes on behind what it has seen, also before the first event", async () => {
  const stream =
    (text: string, then: (response: ServerResponse) => void): Step =>
    (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(text, () => then(response));
    };
  const destroy = (response: ServerResponse) => void setTimeout(() => response.socket?.destroy(), 100);
  const event = (sequence: number) => `id: ${sequence}\nevent: x\ndata: {"sequence":${sequence}}\n\n`;
  const scripted = await startScripted(
    stream("retry: 3000\nid: 5\n: events after 5\n\n", destroy),
    stream(event(6), destroy),
    stream(event(7), () => undefined),
  );
  const line = ["events", "tail", "--team", "acme", "--json", "sequence"];
  const tail = startReeve(line, {}, { ...REMOTE, REEVE_SERVER: scripted.url });
  await tail.printed(/"sequence":7/);
  tail.child.kill();
  const { stdout, stderr } = await tail.ended;
  assert.equal(stdout, '{"sequence":6}\n{"sequence":7}\n');
  assert.match(stderr, /it closed the connection; trying again/);
  const begun = scripted.asked.map(({ url }) => new URL(url, scripted.url).searchParams.get("after"));
  assert.deepEqual(begun, [null, "5", "6"]);
});

test("what is wrong with a command line is JSON too where JSON is asked for", async () => {
  const scripted = await startScripted(reply(404, { error: { code: "not_found", message: "Team not found" } }));
  const run = async (line: string) => await runReeve(line.split(" "), {}, { ...REMOTE, REEVE_SERVER: scripted.url });
  const wrong: readonly (readonly [string, number, string])[] = [
    ["secrets list --json name --foo", 2, "unknown option '--foo'"],
    ["secrets lst --json", 2, "unknown command 'lst' (Did you mean list?)"],
    ["secrets view --json=name", 2, "missing required argument 'name'"],
    ["teams view nowhere --json=name", 6, `${scripted.url} has no team "nowhere" for this credential (<team>)`],
  ];
  for (const [line, code, message] of wrong) {
    const ended = await run(line);
    assert.deepEqual([ended.code, JSON.parse(ended.stderr).error.message], [code, message]);
  }
  assert.equal(
    (await run("secrets lst")).stderr,
    "error: unknown command 'lst'\n(Did you mean list?)\n(see reeve secrets --help)\n",
  );
});

test("a response without the list that was asked for is of no Reeve", async () => {
  const scripted = await startScripted(reply(200, { A: "1" }));
  const { code, stderr } = await runReeve(["teams", "list"], {}, { ...REMOTE, REEVE_SERVER: scripted.url });
  assert.deepEqual([code, stderr], [3, `reeve: ${scripted.url} is no Reeve: expected the URL of a Reeve server\n`]);
});
