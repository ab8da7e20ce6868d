// Signals that come before the program of `reeve run` has started.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { exitCodeOf, passSignals, startProgram } from "./child.ts";

test("a signal that comes before the program is started reaches the program, once", async () => {
  const signals = passSignals();
  process.kill(process.pid, "SIGUSR2");
  while (signals.received === null) await turn();
  const program = await startProgram(["sleep", "60"], process.env);
  signals.passTo(program);
  assert.equal(signals.received, null);
  assert.equal(exitCodeOf(await program.ended), 128 + 12);
  signals.end();
});
