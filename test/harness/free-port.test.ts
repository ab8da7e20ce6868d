// No two tests are given the same port, whether or not anything listens there yet.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { freePort } from "./free-port.ts";

/** So many of so few are given twice if nothing prevents it. */
const PORTS = 300;

const OTHER = `
const { freePort } = await import(${JSON.stringify(new URL("free-port.ts", import.meta.url).href)});
const ports = [];
while (ports.length < ${PORTS}) ports.push(await freePort());
process.stdout.write(JSON.stringify(ports));
process.stdin.resume();
`;

test("a port is given once, to one process", async (t) => {
  const other = spawn(process.execPath, ["--input-type=module", "--eval", OTHER], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  t.after(() => other.kill());
  const own: number[] = [];
  while (own.length < PORTS) own.push(await freePort());
  let printed = "";
  for await (const part of other.stdout) {
    printed += String(part);
    if (printed.endsWith("]")) break;
  }
  const others = JSON.parse(printed) as number[];
  assert.equal(new Set([...own, ...others]).size, 2 * PORTS);
});
