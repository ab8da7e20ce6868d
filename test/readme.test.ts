// The first five minutes of README.md, the tour of docs/tour.md and the cookbook, each pasted from top to bottom into a shell beside a
// server that was just started.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { builtFile } from "./harness/program.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
// Without the settings of the user who runs the tests.
const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("REEVE_"));
const environment = {
  ...Object.fromEntries(inherited),
  REEVE_EGRESS_ALLOW: "127.0.0.1",
  PATH: [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
};

function readTour(page: string): string {
  const text = readFileSync(join(root, page), "utf8");
  const tour = /<!-- tour -->([^]*)<!-- end of tour -->/.exec(text)?.[1] ?? "";
  return [...tour.matchAll(/```sh\n([^]*?)```/g)].map(([, block = ""]) => block).join("\n");
}

/** Starts a server on the data directory, as the pages say but on a free port. Returns its URL. */
async function startServer(dataDir: string): Promise<string> {
  const server = spawn(process.execPath, ["bin/reeve.js", "serve", "--port", "0"], {
    cwd: root,
    env: { ...environment, REEVE_DATA_DIR: dataDir, REEVE_LOG_LEVEL: "silent" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  after(async () => {
    server.kill("SIGTERM");
    await once(server, "exit");
    rmSync(dataDir, { recursive: true, force: true });
  });
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /http:\/\/localhost:\d+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error("the server ended without printing its URL");
}

/** How each page begins. npm and the sources take most of the time of a command; README.md shows that they work. */
const FROM_CHECKOUT = 'reeve() { npm run --silent reeve -- "$@"; }';
const BUILT = `reeve() { node "${builtFile("reeve.js")}" "$@"; }`;

/** Pastes the tour of a page and compares its output with the page. Returns the output. */
async function pasteTour(page: string, reeve = BUILT): Promise<string> {
  const written = readTour(page);
  assert.ok(written.includes(FROM_CHECKOUT));
  const tour = written.replace(FROM_CHECKOUT, () => reeve);
  const expected = [...tour.matchAll(/^# prints (.+)$/gm)].map(([, text = ""]) => text);
  assert.ok(expected.length >= 3);
  const dataDir = mkdtempSync(join(tmpdir(), "reeve-tour-"));
  const api = await startServer(dataDir);
  const shell = spawnSync("bash", ["-euo", "pipefail"], {
    cwd: root,
    env: { ...environment, REEVE_DATA_DIR: dataDir, API: api },
    input: tour,
    encoding: "utf8",
  });
  assert.equal(shell.status, 0, shell.stderr);
  for (const text of expected) assert.ok(shell.stdout.includes(text), `${text} is not in:\n${shell.stdout}`);
  // The refusals are those that the tour shows.
  const refusals = expected.filter((text) => text.startsWith("exit code"));
  assert.equal(shell.stdout.match(/^exit code/gm)?.length, refusals.length);
  return shell.stdout;
}

test("the first five minutes of README.md work when they are pasted, and print what they say", async () => {
  await pasteTour("README.md", FROM_CHECKOUT);
});

test("the tour of docs/tour.md works when it is pasted, and prints what it says", async () => {
  const printed = await pasteTour("docs/tour.md");
  const teams = printed.match(/"id":"(team_\w+)","slug":"beta"/g) ?? [];
  assert.equal(teams.length, 2);
  assert.equal(new Set(teams).size, 1);
});

test("the twenty tasks of docs/cookbook.md work when they are pasted, and print what they say", async () => {
  await pasteTour("docs/cookbook.md");
  const tasks = readFileSync(join(root, "docs/cookbook.md"), "utf8").match(/^### \d+\. /gm) ?? [];
  assert.equal(tasks.length, 20);
});
