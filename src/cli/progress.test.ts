import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { withProgress } from "./progress.ts";

function openTerminal(isTTY: boolean): NodeJS.WriteStream {
  return Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY }) as never;
}

test("a terminal sees one line that grows by whole percents and is gone at the end", async () => {
  const terminal = openTerminal(true);
  const report = async (show: (done: number, total: number) => void) => {
    for (const done of [0, 333, 334, 1_000]) show(done, 1_000);
    return "done";
  };
  assert.equal(await withProgress("Rewrapping", report, terminal), "done");
  assert.deepEqual(String(terminal.read()).split("\r").slice(1), [
    "Rewrapping [..............................] 0 %  0 of 1000",
    "Rewrapping [##########....................] 33 %  333 of 1000",
    "Rewrapping [##############################] 100 %  1000 of 1000",
    "\u001B[2K",
  ]);
});

test("of nothing everything is done, and a failure takes the bar away", async () => {
  const terminal = openTerminal(true);
  const fail = async (show: (done: number, total: number) => void) => {
    show(0, 0);
    throw new Error("failed");
  };
  await assert.rejects(withProgress("Rewrapping", fail, terminal), /failed/);
  assert.ok(String(terminal.read()).endsWith("100 %  0 of 0\r\u001B[2K"));
});

test("a file or a pipe sees nothing of it", async () => {
  const pipe = openTerminal(false);
  await withProgress("Rewrapping", async (show) => show(1, 2), pipe);
  assert.equal(pipe.read(), null);
});
