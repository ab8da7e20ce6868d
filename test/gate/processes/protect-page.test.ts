// docs/protect.md, block by block in a shell, as somebody would paste it: from nothing to a protected application.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "../../harness/free-port.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { sendTo } from "../gate-world.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const BLOCKS = 9;

const folder = mkdtempSync(join(tmpdir(), "reeve-protect-"));
const [apiPort, gatePort, applicationPort] = [await freePort(), await freePort(), await freePort()];
const api = `http://127.0.0.1:${apiPort}`;
const gate = `http://127.0.0.1:${gatePort}`;

/** With ports that are free here, and files outside of the checkout. */
function readBlocks(): string[] {
  const page = readFileSync(join(ROOT, "docs/protect.md"), "utf8");
  return [...page.matchAll(/```sh\n([^]*?)```/g)].map(([, block = ""]) =>
    block
      .replaceAll("localhost:4000", `localhost:${apiPort}`)
      .replaceAll("127.0.0.1:4080", `127.0.0.1:${gatePort}`)
      .replaceAll("127.0.0.1:3000", `127.0.0.1:${applicationPort}`)
      .replaceAll("listen(3000", `listen(${applicationPort}`)
      .replaceAll("gate.key", join(folder, "gate.key"))
      .replaceAll("npm ci && ", ""),
  );
}

const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("REEVE_"));
const environment = {
  ...Object.fromEntries(inherited),
  PATH: [join(ROOT, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
  REEVE_DATA_DIR: join(folder, "data"),
  REEVE_PORT: String(apiPort),
  REEVE_LOG_LEVEL: "error",
  REEVE_GATE_LISTEN: `127.0.0.1:${gatePort}`,
  REEVE_GATE_DIR: join(folder, "gate"),
};

const shells = new Set<ChildProcess>();

/** A terminal that is left running. */
function leaveRunning(block: string): ChildProcess {
  const shell = spawn("bash", ["-euo", "pipefail", "-c", block], {
    cwd: ROOT,
    env: environment,
    stdio: ["ignore", "ignore", "inherit"],
    detached: true,
  });
  shells.add(shell);
  return shell;
}

/** Ends a terminal with all that runs in it. */
async function close(shell: ChildProcess): Promise<void> {
  shells.delete(shell);
  if (shell.exitCode !== null || shell.signalCode !== null) return;
  const ended = new Promise((resolve) => shell.once("exit", resolve));
  process.kill(-(shell.pid as number), "SIGTERM");
  await ended;
}

after(async () => {
  for (const shell of shells) await close(shell);
  rmSync(folder, { recursive: true, force: true });
});

function paste(blocks: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", blocks.join("\n")], {
    cwd: ROOT,
    env: environment,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr + stdout);
  assert.doesNotMatch(stdout, /"error":/);
  return stdout;
}

const untilAnswers = (url: string, path: string, status: number) =>
  waitFor(`${status} from ${url}${path}`, async () => {
    const answer = await sendTo(url, path, { headers: { accept: "text/html" } }).catch(() => null);
    return answer?.status === status;
  });

/** What the README has done before, to whom follows it first. */
const README = [
  "reeve teams create acme --name Acme",
  "reeve firewall put --firewall-enabled --team acme --project shop",
];

test("docs/protect.md leads from nothing, or from the README, to a protected application", async () => {
  const blocks = readBlocks();
  assert.equal(blocks.length, BLOCKS, "the page has as many blocks as this test runs");
  const [start, second, setUp, application, runGate, look, why, attack, oneProcess] = blocks as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const server = leaveRunning(start);
  await untilAnswers(api, "/health/ready", 200);
  // One terminal for all that is pasted: making its token again for each block would start a program again.
  const [token = ""] = paste([second, 'printf "%s\\n" "$REEVE_TOKEN"']).split("\n");
  const terminal = `${second.replace(/^export REEVE_TOKEN=.*$/m, "")}\nexport REEVE_TOKEN=${token}`;
  paste([terminal, ...README]);
  paste([terminal, setUp]);
  // `wait` keeps the application with its terminal.
  const site = leaveRunning(`${application}\nwait`);
  const own = leaveRunning(runGate);
  await untilAnswers(gate, "/", 200);
  const [allowed = "", denied = ""] = paste([look]).split("HTTP/1.1").slice(1);
  assert.match(allowed, /^ 200 [^]*GET \//);
  assert.match(denied, /^ 403 [^]*X-Reeve-Decision: deny; rule=rule_\w+; version=1; id=\w+/i);
  const [, id = ""] = /X-Reeve-Decision: [^\r\n]*id=(\w+)/i.exec(denied) ?? [];
  await waitFor("the decision", async () => {
    const url = `${api}/v1/gate/decisions/${id}?slug=demo`;
    return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).ok;
  });
  const explained = paste([terminal, why.replace("THE_ID", id)]);
  assert.match(explained, /No admin|admin/i);
  paste([terminal, attack]);
  await untilAnswers(gate, "/", 403);
  assert.match((await sendTo(gate, "/", { headers: { accept: "text/html" } })).text, /challenge\/check-\w+\.js/);

  await close(own);
  await close(server);
  const both = leaveRunning(oneProcess);
  await untilAnswers(gate, "/admin", 403);
  await close(both);
  await close(site);
});
