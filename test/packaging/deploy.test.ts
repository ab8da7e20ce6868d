// Checks the files of deploy/ against the rest, as far as possible without the programs that read them.
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { parse } from "yaml";
import { VARIABLES } from "../../src/serve/config/config.ts";
import { SETTINGS } from "../../src/serve/config/settings.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- looked into freely
type Body = any;

const ROOT = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), "utf8");

const manifest = JSON.parse(read("package.json"));
const dockerfile = read("deploy/Dockerfile");
const compose: Body = parse(read("deploy/compose.yaml"));
const unit = read("deploy/reeve.service");
/** Values of a directive of the unit, in order. */
const directives = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value]) => value);

/** Seconds for which docs/scaling.md says that there is room. */
const LONGEST_DRAIN = Number(/room for a drain of (\d+)\./.exec(read("docs/scaling.md"))?.[1]);

test("every setting that is named exists", () => {
  const files = globSync("deploy/**/*.*", { cwd: ROOT });
  for (const file of [...files, "docs/deploy.md"]) {
    for (const [name] of read(file).matchAll(/\bREEVE_\w+/g)) assert.ok(VARIABLES.includes(name), `${file}: ${name}`);
  }
});

test("the image is built from files that exist and are not ignored, with the tested Node.js", () => {
  const allowed = read(".dockerignore")
    .split("\n")
    .filter((line) => line.startsWith("!"))
    .map((line) => line.slice(1));
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files]) =>
    (files as string).split(" "),
  );
  assert.ok(copied.length > 5);
  for (const path of copied) {
    assert.ok(existsSync(new URL(path, ROOT)), path);
    assert.ok(allowed.includes(path), `${path} is kept out by .dockerignore`);
  }
  assert.deepEqual(allowed.toSorted(), [...new Set(copied)].toSorted(), "nothing else is let through");
  const major = Number(/^ARG NODE_VERSION=(\d+)$/m.exec(dockerfile)?.[1]);
  assert.equal(major, Number(/\d+/.exec(manifest.devDependencies.node)?.[0]));
  assert.ok(major >= Number(/^>=(\d+)/.exec(manifest.engines.node)?.[1]));
});

test("the image runs as an unprivileged user, as process 1, on the port and folder that it declares", () => {
  assert.match(dockerfile, /^USER [1-9]\d*:[1-9]\d*$/m);
  assert.match(dockerfile, /^ENTRYPOINT \["node", "\/app\/dist\/reeve.js"\]$/m);
  assert.match(dockerfile, new RegExp(`^EXPOSE ${SETTINGS.port.fallback}$`, "m"));
  const folder = /REEVE_DATA_DIR=(\S+)/.exec(dockerfile)?.[1];
  assert.match(dockerfile, new RegExp(`^VOLUME ${folder}$`, "m"));
  assert.doesNotMatch(dockerfile, /(?:TOKEN|PASSWORD|MASTER_KEY)=/);
  assert.ok(compose.services.reeve.volumes.includes(`reeve:${folder}`));
});

test("the compose file declares what it uses, waits for health checks, and contains no password", () => {
  for (const [name, service] of Object.entries<Body>(compose.services)) {
    for (const secret of service.secrets ?? []) assert.ok(secret in compose.secrets, `${name}: ${secret}`);
    for (const volume of service.volumes ?? [])
      assert.ok(volume.split(":")[0] in compose.volumes, `${name}: ${volume}`);
    for (const other of Object.keys(service.depends_on ?? {})) assert.ok(compose.services[other].healthcheck, other);
    for (const [variable, value] of Object.entries<string>(service.environment ?? {})) {
      const isSecret = /PASSWORD|KEY|TOKEN|URL/.test(variable);
      assert.ok(!isSecret || value.startsWith("/run/secrets/"), `${name}: ${variable}`);
    }
  }
  for (const { file } of Object.values<Body>(compose.secrets)) assert.match(file, /^secrets\//);
  // The server sees a proxy on the host as the gateway, whose address changes with each start unless it is configured.
  const [{ gateway }] = compose.networks.default.ipam.config;
  const header = read("deploy/compose.yaml");
  assert.ok(header.includes(`REEVE_TRUSTED_PROXIES=${gateway}\\n`));
  const { reeve } = compose.services;
  assert.ok(!reeve.env_file.startsWith("secrets/"), "`docker inspect` shows what stands in it");
  assert.deepEqual([reeve.read_only, reeve.cap_drop], [true, ["ALL"]]);
  for (const [name, { security_opt, ulimits }] of Object.entries<Body>(compose.services)) {
    assert.deepEqual(security_opt, ["no-new-privileges:true"], name);
    // A dump of the memory would hold secrets and keys.
    assert.equal(ulimits?.core, 0, name);
  }
  assert.ok(existsSync(new URL(`deploy/${reeve.build.context}/${reeve.build.dockerfile}`, ROOT)));
  // Reeve stops within ten seconds after its drain; an earlier kill aborts requests. docs/scaling.md says how long a drain may be.
  assert.ok(Number.parseInt(reeve.stop_grace_period, 10) >= LONGEST_DRAIN + 10);
  // The socket accepts connections before the server does.
  assert.ok(compose.services.postgres.healthcheck.test.includes("127.0.0.1"));
  assert.ok(reeve.ulimits.nofile > Number(SETTINGS.maxConnections.fallback) + 1_000);
});

test("the container of the docs has only the rights that it needs, as that of the compose file", () => {
  const commands = [...read("docs/deploy.md").matchAll(/^docker run [^]*? reeve$/gm)].map(([command]) => command);
  assert.ok(commands.length > 0);
  for (const command of commands) {
    for (const flag of [
      "--read-only",
      "--tmpfs /tmp",
      "--cap-drop ALL",
      "--security-opt no-new-privileges",
      "--ulimit core=0",
      `--ulimit nofile=${compose.services.reeve.ulimits.nofile}`,
      `--stop-timeout ${LONGEST_DRAIN + 10}`,
    ])
      assert.ok(command.includes(` ${flag} `), flag);
  }
});

test("the unit has only the rights that it needs, and gets its key as a credential", () => {
  const hardening = {
    User: "reeve",
    NoNewPrivileges: "yes",
    CapabilityBoundingSet: "",
    ProtectSystem: "strict",
    ProtectHome: "yes",
    PrivateTmp: "yes",
    PrivateDevices: "yes",
    RestrictNamespaces: "yes",
    SystemCallArchitectures: "native",
    StateDirectory: "reeve",
    StateDirectoryMode: "0700",
    LimitCORE: "0",
    Restart: "always",
    StartLimitIntervalSec: "0",
  };
  for (const [name, value] of Object.entries(hardening)) assert.deepEqual(directives(name), [value], name);
  assert.deepEqual(directives("SystemCallFilter"), ["@system-service", "~@privileged @resources"]);
  const [credential] = directives("LoadCredential");
  assert.ok(unit.includes(`REEVE_MASTER_KEY_FILE=%d/${credential?.split(":")[0]}`));
  assert.ok(Number(directives("TimeoutStopSec")[0]) >= LONGEST_DRAIN + 10);
  assert.ok(Number(directives("LimitNOFILE")[0]) > Number(SETTINGS.maxConnections.fallback) + 1_000);
  assert.match(directives("ExecStart")[0] ?? "", /\/dist\/reeve\.js serve$/);
});

test("the proxies forward the client's address and the bodies that Reeve accepts, and expose no metrics", () => {
  const nginx = read("deploy/nginx.conf");
  const caddy = read("deploy/Caddyfile");
  for (const proxy of [nginx, caddy]) {
    assert.ok(proxy.includes(`127.0.0.1:${SETTINGS.port.fallback}`));
    assert.match(proxy, /REEVE_TRUSTED_PROXIES=127\.0\.0\.1/);
    assert.match(proxy, /\/metrics/);
  }
  assert.match(nginx, /proxy_set_header X-Forwarded-For \$remote_addr;/);
  assert.match(nginx, /client_max_body_size 2m;/);
  assert.match(nginx, /^\s*proxy_next_upstream error timeout;$/m);
  assert.match(nginx, /large_client_header_buffers \d+ 32k;/);
  // A single server that is not ready says so itself.
  assert.doesNotMatch(caddy, /^\s*health_uri/m);
  // Caddy makes 502 of a body that is longer than its own bound.
  assert.doesNotMatch(caddy, /request_body/);
  assert.match(caddy, /max_header_size 32KB/);
  // Caddy returns 200 when its own timeout for a body ends before Reeve's: 30 s, after the headers.
  const seconds = (name: string) => Number(new RegExp(`${name} (\\d+)s`).exec(caddy)?.[1]);
  assert.ok(seconds("read_body") > seconds("read_header") + 30);
});
