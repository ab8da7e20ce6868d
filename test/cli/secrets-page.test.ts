// docs/secrets.md as a reader follows it: its first requests, one after the other, against a server whose project is new.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { startApplicationWorld } from "./application-world.ts";
import { startProgram } from "./reeve-process.ts";

const world = await startApplicationWorld();
after(world.stop);
const page = readFileSync(join(import.meta.dirname, "../../docs/secrets.md"), "utf8");

test("the requests of docs/secrets.md succeed in their order, and the values are read", async () => {
  const blocks = [...page.matchAll(/```sh\n([^]*?)```/g)].map(([, text = ""]) => text);
  const [create = "", change = "", read = ""] = blocks;
  const script = `set -e\ncurl() { command curl -sS --fail-with-body "$@"; echo; }\n${create}${change}${read}cat .env`;
  const line = `cd '${world.folder}'\n${script}`;
  const { code, stdout, stderr } = await startProgram("bash", ["-c", line], {}, world.remote).ended;
  assert.deepEqual([code, stderr], [0, ""], stdout);
  assert.match(stdout, /^DATABASE_URL='?postgres:/m);
  assert.match(stdout, /^LOG_LEVEL='?info/m);
});
