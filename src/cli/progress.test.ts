import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { createProgress } from "./progress.ts";

function openTerminal(isTTY: boolean): NodeJS.WriteStream {
  return Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY }) as never;
}

test("a terminal sees one line that grows and is gone at the end", () => {
  const terminal = openTerminal(true);
  const progress = createProgress("Rewrapping", terminal);
  for (const done of [0, 333, 1_000]) progress.show(done, 1_000);
  progress.show(0, 0);
  progress.end();
  assert.deepEqual(String(terminal.read()).split("\r").slice(1), [
    "Rewrapping [..............................] 0 %  0 of 1000",
    "Rewrapping [##########....................] 33 %  333 of 1000",
    "Rewrapping [##############################] 100 %  1000 of 1000",
    "Rewrapping [##############################] 100 %  0 of 0",
    "\u001B[2K",
  ]);
});

test("a file or a pipe sees nothing of it", () => {
  const pipe = openTerminal(false);
  const progress = createProgress("Rewrapping", pipe);
  progress.show(1, 2);
  progress.end();
  assert.equal(pipe.read(), null);
});
