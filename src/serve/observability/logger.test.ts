// The log of an error has enough to find the cause, and nothing that a driver quotes.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { test } from "node:test";
import { createLogger } from "./logger.ts";

function logged(error: Error): Record<string, unknown> {
  const lines: string[] = [];
  createLogger("info", { write: (line) => void lines.push(line) }).error({ err: error }, "failed");
  return JSON.parse(lines.join("")).err;
}

test("an error is logged with what leads to its cause", () => {
  const cause = Object.assign(new Error("the disk is full"), { errcode: 13 });
  const { type, message, stack, code } = logged(Object.assign(new TypeError("no", { cause }), { code: "ENOSPC" }));
  assert.deepEqual([type, message, code], ["TypeError", "no: the disk is full", "ENOSPC"]);
  assert.match(String(stack), /logger\.test\.ts.*caused by: Error: the disk is full/s);
});

test("the row that PostgreSQL refused, and other properties of an error, are left out", () => {
  const error = Object.assign(new Error("duplicate key value violates unique constraint"), {
    code: "23505",
    table: "secrets",
    constraint: "secrets_pkey",
    detail: "Key (id)=(quoted) already exists.",
    where: "quoted",
    internalQuery: "quoted",
    input: "quoted",
    request: { body: "quoted" },
    cause: Object.assign(new Error("below"), { detail: "quoted" }),
  });
  const told = logged(error);
  assert.doesNotMatch(JSON.stringify(told), /quoted/);
  assert.deepEqual([told["code"], told["table"], told["constraint"]], ["23505", "secrets", "secrets_pkey"]);
});

/** Ends with unwritten lines when it is told to. */
const PROGRAM = `
  import { createLogger } from ${JSON.stringify(new URL("logger.ts", import.meta.url).href)};
  process.stdin.once("data", () => {
    createLogger("info").info("a line");
    process.exit(7);
  });
  process.stdout.write("ready");
`;

async function exitCodeOf(stderr: "pipe" | number): Promise<unknown> {
  const program = spawn(process.execPath, ["--input-type=module", "--eval", PROGRAM], {
    stdio: ["pipe", "pipe", stderr],
  });
  await once(program.stdout!, "data");
  program.stderr?.destroy();
  const ended = once(program, "exit");
  program.stdin!.write("end");
  return (await ended)[0];
}

test("a process ends although nobody reads its log, or the disk of the log is full", { timeout: 60_000 }, async () => {
  assert.equal(await exitCodeOf("pipe"), 7);
  assert.ok(existsSync("/dev/full"), "where there is no such device, this needs another full disk");
  const full = openSync("/dev/full", "w");
  assert.equal(await exitCodeOf(full), 7);
  closeSync(full);
});
