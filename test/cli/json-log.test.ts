// Every line of a server's log is JSON, also where Node.js or a library warns of something: on the main thread, and on that of the writer.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { waitFor } from "../harness/wait-for.ts";
import { serveReeve, stopReeve } from "./reeve-process.ts";

const folder = mkdtempSync(join(tmpdir(), "reeve-json-log-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Each thread warns, once it is told to by a file: Reeve has its log open by then. */
const warnLater = (told: string) => `const { isMainThread } = require("node:worker_threads");
const { existsSync } = require("node:fs");
const warn = () => existsSync(${JSON.stringify(told)}) && process.emitWarning(isMainThread ? "of the main thread" : "of the writer");
setInterval(warn, 100).unref();
`;

test("what Node.js warns of is a line of JSON, on whichever thread", async () => {
  const [preload, told] = [join(folder, "warn.cjs"), join(folder, "told")];
  writeFileSync(preload, warnLater(told));
  const environment = { NODE_OPTIONS: `--require=${preload}` };
  const server = await serveReeve({ dataDir: join(folder, "data"), logLevel: "info" }, environment);
  writeFileSync(told, "");
  for (const warning of ["of the main thread", "of the writer"])
    await waitFor(`a warning ${warning}`, () => server.logged().includes(warning));
  const { stdout, stderr } = await stopReeve(server);
  for (const line of `${stdout}${stderr}`.split("\n").filter(Boolean))
    assert.doesNotThrow(() => JSON.parse(line), `no JSON: ${line}`);
});
