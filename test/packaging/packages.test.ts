// The client and the gate as packages of their own: each is installed alone into an empty folder, compiled against and used.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, test } from "node:test";
import { compileStrictly, linkPackages } from "../client/package-folder.ts";
import { startListeningApp } from "../clients/started-app.ts";
import { startProgram } from "../cli/reeve-process.ts";

const ROOT = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "reeve-packages-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const env = { ...process.env, PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter) };

execFileSync(process.execPath, [join(ROOT, "tools/packages.ts"), folder], { env, stdio: "pipe" });
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** A folder with nothing but the package. */
function install(name: string): string {
  const cwd = join(folder, `with-${name}`);
  mkdirSync(cwd);
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const options = ["--ignore-scripts", "--offline", "--no-audit", "--no-fund"];
  execFileSync("npm", ["install", ...options, join(folder, `reeve-hq-${name}-${version}.tgz`)], {
    cwd,
    env,
    stdio: "pipe",
  });
  assert.deepEqual(
    readdirSync(join(cwd, "node_modules")).filter((file) => !file.startsWith(".")),
    ["@reeve-hq"],
  );
  return cwd;
}

/** Compiles a program there. */
function compile(cwd: string, text: string): void {
  writeFileSync(join(cwd, "program.ts"), text);
  linkPackages(join(cwd, "node_modules"), ["@types/node", "undici-types"]);
  assert.equal(compileStrictly(cwd, ["program.ts"]), "");
}

const api = await startListeningApp();

test("the client alone: no other package, at most 30 KiB, and a failure's stack shows where in the source", async () => {
  const cwd = install("client");
  const own = join(cwd, "node_modules/@reeve-hq/client");
  assert.deepEqual(readdirSync(own).toSorted(), [
    "LICENSE",
    "README.md",
    "index.d.ts",
    "index.js",
    "index.js.map",
    "package.json",
  ]);
  assert.ok(statSync(join(own, "index.js")).size <= 30 * 1_024);
  const { token } = await api.createUser();
  const program = `import { ReeveError, createClient } from "@reeve-hq/client";
const client = createClient({ server: process.env["REEVE_SERVER"] ?? "", token: process.env["REEVE_TOKEN"] ?? "" });
const team = await client.call("createTeam", { body: { slug: "alone" } });
try {
  await client.call("createTeam", { body: { slug: team.slug } });
} catch (error) {
  if (!(error instanceof ReeveError)) throw error;
  console.log(error.code, error.stack);
}
`;
  compile(cwd, program);
  const more = { REEVE_SERVER: api.url, REEVE_TOKEN: token };
  const { code, stdout, stderr } = await startProgram(
    process.execPath,
    ["--enable-source-maps", join(cwd, "program.ts")],
    {},
    more,
  ).ended;
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^slug_taken ReeveError: /);
  assert.match(stdout, /src\/client\/\w+\.ts:\d+:\d+/);
});

test("the gate alone: no other package, and an application behind it is protected", async () => {
  const cwd = install("gate");
  const own = join(cwd, "node_modules/@reeve-hq/gate");
  assert.match(readFileSync(join(own, "THIRD-PARTY-NOTICES.txt"), "utf8"), /^ipaddr\.js \S+ \(MIT\)$/m);
  const owner = await api.createUser();
  const team = await api.createTeam(owner);
  const call = async (method: string, path: string, body: object) => {
    const response = await api.request(method, `${path}teamId=${team.id}`, { token: owner.token, body });
    assert.equal(response.status, 200, response.text);
    return response.body;
  };
  const conditionGroup = [{ conditions: [{ type: "path", op: "pre", value: "/admin" }] }];
  const rules = [{ name: "No admin", active: true, conditionGroup, action: { mitigate: { action: "deny" } } }];
  await call("PUT", "/v1/firewalls?projectId=shop&", { firewallEnabled: true, rules });
  const key = await call("POST", "/v1/api-keys?", { name: "gate", role: "SECURITY", permissions: ["gate:connect"] });
  const program = `import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createGate } from "@reeve-hq/gate";
const gate = createGate({ server: process.env["REEVE_SERVER"] ?? "", key: process.env["GATE_KEY"] ?? "", team: "${team.slug}", project: "shop" });
const { protected: isProtected } = await gate.ready;
const server = createServer(gate.node((_request, response) => void response.end("hello")));
server.listen(0, "127.0.0.1", async () => {
  const { port } = server.address() as AddressInfo;
  const statuses = [];
  for (const path of ["/", "/admin/users"]) statuses.push((await fetch(\`http://127.0.0.1:\${port}\${path}\`)).status);
  console.log(JSON.stringify({ isProtected, statuses }));
  process.exit();
});
`;
  compile(cwd, program);
  const more = { REEVE_SERVER: api.url, GATE_KEY: key.value };
  const { code, stdout, stderr } = await startProgram(process.execPath, [join(cwd, "program.ts")], {}, more).ended;
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), { isProtected: true, statuses: [200, 403] });
});
