// A mistake is no outage: without an earlier bundle the start of a gate stops, and names the setting.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer as createTcpServer } from "node:net";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { GateMistakeError } from "../../src/gate/middleware.ts";
import type { GateOptions } from "../../src/gate/middleware.ts";
import { freePort } from "../harness/free-port.ts";
import { waitFor } from "../harness/wait-for.ts";
import { ADMIN, health } from "./failing-gate.ts";
import { AWAY, FOREIGN } from "./front.ts";
import { listenOn, sendTo } from "./gate-world.ts";
import { startMistakenWorld } from "./mistaken-world.ts";

const world = await startMistakenWorld();
const { createKey, key, protectedBy, revoke, server, shop, team, user } = world;

async function revokedKey(): Promise<string> {
  const { id, value } = await createKey();
  await revoke(id);
  return value;
}

async function listenTcp(answer: string): Promise<string> {
  const tcp = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.end(answer);
  });
  tcp.listen(0, "127.0.0.1");
  await once(tcp, "listening");
  after(() => tcp.close());
  return `127.0.0.1:${(tcp.address() as AddressInfo).port}`;
}

const url = (expected: string) => new RegExp(`^createGate: server: expected the URL of a control plane.*${expected}`);
type Options = Partial<GateOptions> | (() => Promise<Partial<GateOptions>>);

const MISTAKES: Readonly<Record<string, readonly [Options, RegExp]>> = {
  "a mistyped project": [
    { project: "shpo" },
    /^createGate: project: expected projects that exist and that the key may use, got "[\w-]+\/shpo" \(404\)$/,
  ],
  "a mistyped team": [{ team: "acmee" }, /^createGate: team: expected the team that the key is of, got "acmee\/.*404/],
  "a revoked key": [
    async () => ({ key: await revokedKey() }),
    /^createGate: key: expected an API key that the control plane accepts, got .*401/,
  ],
  "a key that was never one": [{ key: `rvk_${"x".repeat(40)}` }, /^createGate: key: expected an API key .*401/],
  "a key without the permission": [
    async () => ({ key: (await createKey({ permissions: ["firewall:read"] })).value }),
    /^createGate: key: expected an API key with the permission gate:connect, got .*403/,
  ],
  "a key of another project": [
    async () => ({ key: (await createKey({ projects: [await world.newProject(ADMIN)] })).value }),
    /^createGate: project: expected projects that exist and that the key may use, got /,
  ],
  "a key of another team": [
    async () => {
      const other = await world.createTeam(user);
      const made = await world.request("POST", `/v1/api-keys?teamId=${other.id}`, {
        token: user.token,
        body: { name: "gate", role: "SECURITY" },
      });
      return { key: made.body.value };
    },
    /^createGate: team: expected the team that the key is of, got /,
  ],
  "a path below the server's": [{ server: `${server}/api` }, url("There is no such path.*404")],
  "what speaks another protocol": [
    async () => ({ server: `http://${await listenTcp("SSH-2.0-OpenSSH_9.2\r\n")}` }),
    url("speaks another protocol"),
  ],
  "https where there is none": [{ server: server.replace("http:", "https:") }, url("speaks another protocol")],
  ...Object.fromEntries(
    Object.entries(FOREIGN).map(([what, answer]): [string, readonly [Options, RegExp]] => [
      `a server that answers ${what}`,
      [async () => ({ server: (await listenOn(answer)).url }), url("which answers ")],
    ]),
  ),
};

for (const [what, [options, expected]] of Object.entries(MISTAKES)) {
  test(`${what} rejects ready, is logged and in the health, and lets nothing through`, async () => {
    const given = typeof options === "function" ? await options() : options;
    const { gate, ask, errors } = await protectedBy({ ...given, whenNoBundle: "open" });
    await assert.rejects(gate.ready, (error: Error) => {
      assert.ok(error instanceof GateMistakeError);
      assert.match(error.message, expected);
      return true;
    });
    const refused = await ask("/");
    assert.equal(refused.status, 403);
    assert.match(String(refused.headers["x-reeve-decision"]), /^deny; reason=no_bundle; /);
    assert.equal(errors.length, 1);
    assert.match(errors[0] ?? "", /createGate: \w+: expected/);
    const { status, projects } = gate.health();
    assert.deepEqual([status, projects[0]?.state, projects[0]?.problemKind], ["no_bundle", "missing", "mistake"]);
    assert.match(projects[0]?.problem ?? "", expected);
  });
}

test("a redirect names the address that it leads to, without its query", async () => {
  const { url: at } = await listenOn(FOREIGN["a redirect to another address"]!);
  const { gate } = await protectedBy({ server: at });
  await assert.rejects(gate.ready, {
    message: new RegExp(`got ${at}, which answers 301 to https://reeve.test/v1/gate/bundle$`),
  });
});

for (const [what, answer] of Object.entries(AWAY)) {
  test(`a control plane that answers with ${what} is away: ready resolves, and the policy decides`, async () => {
    const { url: at } = await listenOn(answer);
    for (const [whenNoBundle, status] of [
      ["open", 200],
      ["closed", 403],
    ] as const) {
      const { gate, ask } = await protectedBy({ server: at, whenNoBundle });
      const { protected: isProtected, reason } = await gate.ready;
      assert.equal(isProtected, false);
      assert.ok(reason);
      assert.equal((await ask("/")).status, status);
      assert.equal(gate.health().projects[0]?.problemKind, "outage");
    }
  });
}

test("a control plane that does not answer is away: nothing listens, no such host, or no answer in time", async (t) => {
  const { timeout } = AbortSignal;
  t.mock.method(AbortSignal, "timeout", () => timeout(500));
  const silent = await listenOn(() => undefined);
  for (const at of [`http://127.0.0.1:${await freePort()}`, "http://reeve.invalid", silent.url]) {
    const { gate, ask } = await protectedBy({ server: at });
    assert.equal((await gate.ready).protected, false, at);
    assert.deepEqual([(await ask("/")).status, gate.health().projects[0]?.problemKind], [200, "outage"]);
  }
});

test("a gate that is protected says so, and health has what the health page has", async () => {
  const { gate, ask, errors } = await protectedBy({});
  assert.deepEqual(await gate.ready, { protected: true, reason: null });
  assert.equal((await ask("/admin")).status, 403);
  const { ageMs, ...shown } = gate.health().projects[0]!;
  assert.deepEqual(shown, { project: `${team.slug}/${shop}`, state: "current", version: 1 });
  assert.ok(ageMs !== null && ageMs >= 0);
  const page = await world.startGate({ hosts: [{ host: "*", team: team.slug, project: shop }] });
  const { body } = await health(page);
  assert.deepEqual(Object.keys(gate.health()), Object.keys(body));
  assert.deepEqual(errors, []);
});

test("a start with several mistaken projects names all of them at once, and no good one", async () => {
  const hosts = [
    { host: "a.test", team: team.slug, project: "shpo" },
    { host: "b.test", team: team.slug, project: shop },
    { host: "c.test", team: team.slug, project: "sohp" },
    { host: "d.test", team: "acmee", project: shop },
  ];
  await assert.rejects(world.startGate({ hosts }), (error: Error) => {
    assert.ok(error instanceof GateMistakeError);
    const project = `expected projects that exist and that the key may use, got "${team.slug}/shpo" (404), "${team.slug}/sohp" (404)`;
    const other = `expected the team that the key is of, got "acmee/${shop}": Team not found; GET /v2/teams lists those that you may see (404)`;
    const setting = "REEVE_GATE_HOSTS (--hosts)";
    assert.equal(error.message, `${setting}: ${project}; ${setting}: ${other}`);
    return true;
  });
});

const PROGRAM = `
  const [, options] = process.argv;
  const { createGate } = await import(${JSON.stringify(new URL("../../src/gate/middleware.ts", import.meta.url).href)});
  const { createServer } = await import("node:http");
  const { awaits, ...given } = JSON.parse(options);
  const gate = createGate(given);
  if (awaits) await gate.ready;
  const server = createServer(gate.node((_message, res) => res.end("let through")));
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

function runProgram(options: object) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", PROGRAM, "--", JSON.stringify(options)]);
  after(() => child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text) => (stdout += text));
  child.stderr.on("data", (text) => (stderr += text));
  return { child, ended: once(child, "close"), stdout: () => stdout, stderr: () => stderr };
}

test("an application that awaits ready ends with the reason, and one that never looks at it runs, refuses, and says why", async () => {
  const options = { server, key, team: team.slug, project: "shpo" };
  const awaiting = runProgram({ ...options, awaits: true });
  const [code] = await awaiting.ended;
  assert.equal(code, 1);
  assert.match(
    awaiting.stderr(),
    /GateMistakeError: createGate: project: expected projects that exist .*"[\w-]+\/shpo" \(404\)/,
  );
  const ignoring = runProgram(options);
  const port = await waitFor("the port", () => ignoring.stdout().trim() || undefined);
  await waitFor("the error", () => ignoring.stderr().includes("createGate: project: expected") || undefined);
  const answer = await sendTo(`http://127.0.0.1:${port}`, "/");
  assert.deepEqual([answer.status, answer.text.includes("let through")], [403, false]);
  assert.equal(ignoring.child.exitCode, null);
  ignoring.child.kill();
  await ignoring.ended;
});

test("no gate of these begins a project", async () => {
  const { body } = await world.request("GET", `/v9/projects?teamId=${team.id}&limit=100`, { token: user.token });
  const names: string[] = body.projects.map(({ name }: { name: string }) => name);
  assert.ok(names.includes(shop));
  assert.deepEqual(
    names.filter((name) => ["shpo", "sohp"].includes(name)),
    [],
  );
});
