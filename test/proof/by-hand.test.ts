// Pastes the commands of docs/proof.md for verifying by hand into a shell, with responses of the API as their input.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, test } from "node:test";
import { openCheckpoints } from "../resources/checkpoints.ts";
import { openFeed } from "../resources/event-feed.ts";
import { startOwnApp } from "../harness/test-app.ts";

const world = await startOwnApp();
const folder = mkdtempSync(join(tmpdir(), "reeve-by-hand-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const page = readFileSync(new URL("../../docs/proof.md", import.meta.url), "utf8");
const section = /<!-- by hand -->([^]*)<!-- end of by hand -->/.exec(page)?.[1] ?? "";
const blocks = [...section.matchAll(/```sh\n([^]*?)```/g)].map(([, block = ""]) => block);

function paste(block: string) {
  const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
  return spawnSync("bash", ["-euo", "pipefail"], {
    cwd: folder,
    input: block,
    encoding: "utf8",
    env: { ...process.env, PATH },
  });
}

test("docs/proof.md shows how to verify a checkpoint and a chain without Reeve", async () => {
  const user = await world.createUser();
  const team = await world.createTeam(user);
  const { plant } = openFeed(world);
  await plant(team, [{ text: "said \u2028 🙂", by: user }, {}]);
  const checkpoint = await openCheckpoints(world).create(user, team);
  await plant(team, [{}]);
  const headers = { accept: "application/x-ndjson" };
  const { text } = await world.request("GET", `/v3/events/export?form=chain&teamId=${team.id}`, {
    token: user.token,
    headers,
  });
  const write = (kept: unknown, lines: string) => {
    writeFileSync(join(folder, "checkpoint.json"), JSON.stringify(kept));
    writeFileSync(join(folder, "acme.ndjson"), lines);
  };
  const [genuine = "", whole = "", withOpenSsl = ""] = blocks;
  // As the API answers, as the console saves it, and as `reeve events checkpoint` writes it.
  for (const kept of [{ checkpoint }, checkpoint]) {
    write(kept, text);
    for (const block of [genuine, whole, withOpenSsl]) {
      const [, printed = ""] = /^# prints (.+)$/m.exec(block) ?? [];
      const { status, stdout, stderr } = paste(block);
      assert.deepEqual([status, stdout], [0, `${printed}\n`], stderr);
    }
  }
  // Both can fail.
  write({ ...checkpoint, hash: "0".repeat(64) }, text);
  assert.equal(paste(genuine).stdout, "FORGED\n");
  assert.equal(paste(whole).stdout, "REWRITTEN\n");
  assert.notEqual(paste(withOpenSsl).status, 0);
  write(checkpoint, text.replace("🙂", "🙃"));
  assert.match(paste(whole).stderr, /broken at event 2/);
});
