// `reeve events export`, on a server that it reaches over HTTP.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runReeve } from "./in-process.ts";
import { startRemoteWorld } from "./remote-world.ts";

const { remote, folder } = await startRemoteWorld();
const run = async (line: string) => await runReeve(line.split(" "), {}, remote);

async function succeed(line: string): Promise<string> {
  const { code, stdout, stderr } = await run(line);
  assert.equal(code, 0, `${line}: ${stderr}`);
  return stdout;
}

await succeed("teams create acme");
await succeed(`secrets set ONE --team acme --value-file ${import.meta.filename}`);

test("events are exported as lines of JSON, as CSV, and as a chain that can be verified", async () => {
  const names = ["team", "secret-add"];
  const lines = (await succeed(`events export --team acme --types ${names.join()} --limit 2`)).trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).type),
    names,
  );
  const csv = await succeed("events export --team acme --format csv --limit 1");
  assert.match(csv, /^sequence,id,[^\n]*,hash\r\n1,uev_[^\n]*\r\n$/);
  const file = join(folder, "chain.ndjson");
  writeFileSync(file, await succeed("events export --team acme --chain"));
  assert.match(await succeed(`events verify --export ${file}`), /intact|verified/i);
  for (const [line, problem] of [
    ["--chain --types secret-add", "cannot be used with option '--types"],
    ["--types nothing", '--types: no event is called "nothing"'],
  ] as const) {
    const refused = await run(`events export --team acme ${line}`);
    assert.ok(refused.stderr.includes(problem), refused.stderr);
  }
});
