// `reeve gate`, `reeve serve --gate` and `reeve doctor` as processes when the control plane refuses: what stops, what goes on, and what is said.
import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runReeve, serveReeve, stopReeve } from "../../cli/reeve-process.ts";
import { freePort } from "../../harness/free-port.ts";
import { createStorage } from "../../harness/test-app.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { ADMIN } from "../failing-gate.ts";
import { FOREIGN } from "../front.ts";
import { echo, listenOn, sendTo, startGateWorld } from "../gate-world.ts";
import { startGateProcess } from "./gate-process.ts";

const world = await startGateWorld();
const { key, server, team, user } = world;
const shop = await world.newProject(ADMIN);
const application = (await listenOn(echo)).url;

async function createKey(body: object = {}) {
  const url = `/v1/api-keys?teamId=${team.id}`;
  const made = await world.request("POST", url, {
    token: user.token,
    body: { name: "gate", role: "SECURITY", ...body },
  });
  const { apiKey, value } = made.body as { apiKey: { id: string }; value: string };
  const revoke = () => world.request("DELETE", `/v1/api-keys/${apiKey.id}?teamId=${team.id}`, { token: user.token });
  return { value, revoke };
}

interface Given {
  readonly server?: string;
  readonly key?: string;
  readonly hosts?: string;
}

const environmentOf = ({ server: at = server, key: shown = key, hosts = `*=${team.slug}/${shop}` }: Given) => ({
  REEVE_GATE_SERVER: at,
  REEVE_GATE_KEY: shown,
  REEVE_GATE_HOSTS: hosts,
  REEVE_GATE_DIR: world.newFolder(),
  REEVE_GATE_LISTEN: "127.0.0.1:0",
});

const MISTAKES: Readonly<Record<string, readonly [() => Promise<Given>, string]>> = {
  "a mistyped project": [
    async () => ({ hosts: `*=${team.slug}/shpo` }),
    `REEVE_GATE_HOSTS \\(--hosts\\): expected projects that exist and that the key may use, got "${team.slug}/shpo" \\(404\\)`,
  ],
  "no project at all, where the default one does not exist": [
    async () => ({ hosts: "*=default" }),
    `REEVE_GATE_HOSTS \\(--hosts\\): expected projects that exist .*, got "default" \\(404\\)`,
  ],
  "several mistyped projects among good ones": [
    async () => ({ hosts: `a.test=${team.slug}/shpo,b.test=${team.slug}/${shop},c.test=${team.slug}/sohp` }),
    `REEVE_GATE_HOSTS \\(--hosts\\): .*, got "${team.slug}/shpo" \\(404\\), "${team.slug}/sohp" \\(404\\)`,
  ],
  "a revoked key": [
    async () => {
      const { value, revoke } = await createKey();
      await revoke();
      return { key: value };
    },
    "REEVE_GATE_KEY_FILE \\(--key-file\\): expected an API key that the control plane accepts, got .*401.*",
  ],
  "a key without the permission": [
    async () => ({ key: (await createKey({ permissions: ["firewall:read"] })).value }),
    "REEVE_GATE_KEY_FILE \\(--key-file\\): expected an API key with the permission gate:connect, got .*403.*",
  ],
  "a server that is another one": [
    async () => ({ server: (await listenOn(FOREIGN["a page"]!)).url }),
    "REEVE_GATE_SERVER \\(--server\\): expected the URL of a control plane for this gate, got http.*, which answers .*",
  ],
  "a server that has moved": [
    async () => ({ server: (await listenOn(FOREIGN["a redirect to another address"]!)).url }),
    "REEVE_GATE_SERVER \\(--server\\): .*, which answers 301 to https://reeve.test/v1/gate/bundle",
  ],
};

for (const [what, [given, expected]] of Object.entries(MISTAKES)) {
  test(`reeve gate with ${what} does not start, also not the second time, and says in one line which setting`, async () => {
    const environment = { ...environmentOf(await given()), REEVE_GATE_NO_BUNDLE: "open" };
    for (let start = 0; start < 2; start++) {
      const { code, stdout, stderr } = await runReeve(["gate"], { logLevel: "warn" }, environment);
      assert.deepEqual([code, stdout], [78, ""], stderr);
      assert.match(stderr, new RegExp(`^reeve: ${expected}\n$`));
    }
  });
}

test("reeve gate with a control plane that is away starts, and says that it does not protect", async () => {
  const gate = await startGateProcess({
    server: `http://127.0.0.1:${await freePort()}`,
    key,
    hosts: `*=${team.slug}/${shop}`,
    dir: world.newFolder(),
    environment: { REEVE_GATE_UPSTREAM: application },
  });
  assert.equal((await sendTo(gate.url, "/admin")).status, 200);
  const { code, stdout, stderr } = await stopReeve(gate);
  assert.equal(code, 0);
  assert.match(stdout, /NOT PROTECTED: fetch failed: connect ECONNREFUSED/);
  assert.match(stderr, /no bundle: the gate lets its requests through \(REEVE_GATE_NO_BUNDLE\)/);
});

/** What `reeve doctor` says of the only project of a gate. */
async function examine(url: string) {
  const { code, stdout } = await runReeve(["doctor", "--gate", url, "--json"], {});
  const { findings } = JSON.parse(stdout) as {
    findings: { check: string; status: string; detail: string; advice?: string }[];
  };
  const { status, detail, advice } = findings.find(({ check }) => check.startsWith("bundle of ")) ?? {};
  return { code, found: `${status}: ${detail} -> ${advice}` };
}

test("reeve gate with a key that was revoked while it was down goes on with the bundle on disk, and doctor calls it a fault", async () => {
  const { value, revoke } = await createKey();
  const settings = {
    server,
    key: value,
    hosts: `*=${team.slug}/${shop}`,
    dir: world.newFolder(),
    environment: { REEVE_GATE_UPSTREAM: application },
  };
  const first = await startGateProcess(settings);
  await waitFor("the bundle on disk", () => readdirSync(settings.dir).length > 0);
  await stopReeve(first);
  await revoke();
  const again = await startGateProcess(settings);
  assert.deepEqual([(await sendTo(again.url, "/admin")).status, (await sendTo(again.url, "/")).status], [403, 200]);
  const { code, found } = await examine(again.url);
  assert.equal(code, 4);
  assert.match(
    found,
    /^fault: version 1 is the last one, and no change of it comes: REEVE_GATE_KEY_FILE .*401.* -> repair/,
  );
  const { stdout, stderr } = await stopReeve(again);
  assert.match(stdout, /version 1, from disk: REEVE_GATE_KEY_FILE \(--key-file\): expected an API key/);
  assert.equal(stderr.split("\n").filter((line) => line.includes('"level":"error"')).length, 1, stderr);
});

test("reeve serve --gate with a mistyped project serves, because it is where projects are created, and refuses the requests", async () => {
  const storage = await createStorage();
  const port = await freePort();
  const reeve = await serveReeve(
    { ...storage.flags, bootstrapToken: "an_administrators_token_of_this_test_file" },
    {
      REEVE_GATE_HOSTS: "*=acme/shpo",
      REEVE_GATE_UPSTREAM: application,
      REEVE_GATE_LISTEN: `127.0.0.1:${port}`,
      REEVE_GATE_NO_BUNDLE: "open",
    },
    [],
    ["--gate"],
  );
  const gate = `http://127.0.0.1:${port}`;
  const refused = await sendTo(gate, "/");
  assert.equal(refused.status, 403);
  assert.match(String(refused.headers["x-reeve-decision"]), /^deny; reason=no_bundle; /);
  const line = /REEVE_GATE_HOSTS: expected the team .*, got \\"acme\/shpo\\"/;
  await waitFor("the line in the log", () => line.exec(reeve.logged()) ?? undefined);
  const { code, found } = await examine(gate);
  assert.equal(code, 4);
  assert.match(
    found,
    /^fault: there is none, so all of its requests are refused: REEVE_GATE_HOSTS: expected .* -> repair/,
  );
  const { text } = await sendTo(gate, "/.well-known/reeve/metrics");
  assert.match(text, /reeve_gate_bundle_refreshes_total\{outcome="mistake"\} [1-9]/);
  assert.equal((await stopReeve(reeve)).code, 0);
  await storage.remove();
});

test("reeve gate seclang with a mistake writes nothing and says which setting; with an earlier bundle it writes that, and fails", async () => {
  const { value, revoke } = await createKey();
  const folder = world.newFolder();
  const [out, keyFile, dir] = [join(folder, "out"), join(folder, "gate.key"), join(folder, "bundles")];
  writeFileSync(keyFile, value);
  const run = (hosts: string, ...more: readonly string[]) =>
    runReeve(
      [
        "gate",
        "seclang",
        "--server",
        server,
        "--key-file",
        keyFile,
        "--hosts",
        hosts,
        "--dir",
        dir,
        "--out",
        out,
        ...more,
      ],
      {},
    );
  for (const more of [[], ["--watch"]]) {
    const { code, stdout, stderr } = await run(`*=${team.slug}/shpo`, ...more);
    assert.deepEqual([code, stdout], [78, ""], stderr);
    assert.match(stderr, /^reeve: REEVE_GATE_HOSTS \(--hosts\): expected projects that exist [^\n]*\n$/);
  }
  assert.throws(() => readdirSync(out), { code: "ENOENT" });
  assert.equal((await run(`*=${team.slug}/${shop}`)).code, 0);
  await revoke();
  const { code, stdout } = await run(`*=${team.slug}/${shop}`);
  assert.equal(code, 78);
  assert.match(stdout, /unchanged .*\(version 1, from disk: REEVE_GATE_KEY_FILE \(--key-file\): .*401/);
});

test("none of these began a project", async () => {
  const { body } = await world.request("GET", `/v9/projects?teamId=${team.id}`, { token: user.token });
  assert.deepEqual(
    body.projects.map(({ name }: { name: string }) => name),
    [shop],
  );
});
