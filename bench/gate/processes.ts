// The processes that the parts of the gate measure: a Reeve with a project, a gate of it, and what both are compared with.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../test/harness/free-port.ts";
import { BENCH_TOKEN, startReeve, stopChild } from "../processes.ts";
import type { Bench, ServerProcess } from "../processes.ts";
import { seedStore } from "../seed.ts";
import { ruleOf } from "./decisions.ts";

const HERE = import.meta.dirname;
const RULES = 100;
export const HOST = "shop.test";
export const CHALLENGED_PATH = "/challenged";

/** Requests of a browser, with their paths in turn. */
export function encode(path: string, more: Readonly<Record<string, string>> = {}): Buffer {
  const headers = {
    Host: HOST,
    "User-Agent":
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
    Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "en-US,en;q=0.9",
    Cookie: "session=0123456789abcdef; theme=dark",
    ...more,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`GET ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n"));
}

export async function startServer(name: string, argument = ""): Promise<ServerProcess> {
  const child = fork(join(HERE, "server.ts"), [name, argument], { stdio: "inherit" });
  const [port] = (await once(child, "message")) as [number];
  return { port, pid: child.pid as number, stop: () => stopChild(child) };
}

export interface ControlPlaneAccess {
  readonly server: string;
  readonly key: string;
  readonly project: string;
  readonly team: string;
}

/** A Reeve with a project of a hundred rules, one of which challenges. */
export async function startControlPlane({ folder, keep }: Bench): Promise<ControlPlaneAccess> {
  const dataDir = join(folder, "reeve");
  await seedStore(dataDir, Date.now(), async () => undefined);
  const reeve = await keep(startReeve(dataDir));
  const server = `http://127.0.0.1:${reeve.port}`;
  async function call(method: string, path: string, body: unknown) {
    const response = await fetch(server + path, {
      method,
      headers: { authorization: `Bearer ${BENCH_TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text);
  }
  const team = "bench";
  await call("POST", "/v1/teams", { slug: team });
  const challenge = ruleOf(RULES, [{ type: "path", op: "pre", value: CHALLENGED_PATH }]);
  const rules = [
    ...Array.from({ length: RULES - 1 }, (_, at) => ruleOf(at)),
    { ...challenge, action: { mitigate: { action: "challenge" } } },
  ];
  await call("PUT", `/v1/firewalls?slug=${team}&projectId=shop`, {
    firewallEnabled: true,
    rules,
  });
  const body = { name: "gate", role: "SECURITY", permissions: ["gate:connect"] };
  const { value } = await call("POST", `/v1/api-keys?slug=${team}`, body);
  return { server, key: value, project: "shop", team };
}

async function untilHealthy(port: number): Promise<void> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/.well-known/reeve/health`).catch(() => null);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** `reeve gate`, with an upstream or without. */
export async function startGate(
  folder: string,
  { server, key, team, project }: ControlPlaneAccess,
  upstream: string | null = null,
): Promise<ServerProcess> {
  const port = await freePort();
  const env = {
    ...process.env,
    REEVE_GATE_SERVER: server,
    REEVE_GATE_KEY: key,
    REEVE_GATE_HOSTS: `*=${team}/${project}`,
    REEVE_GATE_LISTEN: `127.0.0.1:${port}`,
    REEVE_GATE_DIR: join(folder, `gate-${port}`),
    REEVE_LOG_LEVEL: "error",
    ...(upstream !== null && { REEVE_GATE_UPSTREAM: upstream }),
  };
  const program = join(HERE, "../../dist/reeve.js");
  const child = spawn(process.execPath, [program, "gate"], { stdio: ["ignore", "ignore", "inherit"], env });
  await untilHealthy(port);
  return { port, pid: child.pid as number, stop: () => stopChild(child) };
}

/** nginx with the file of deploy/gate/, of one worker, that asks `gate`. Its pid is the worker's. */
export async function startNginx(
  folder: string,
  application: ServerProcess,
  gate: ServerProcess,
): Promise<ServerProcess> {
  const port = await freePort();
  const own = join(folder, `nginx-${port}`);
  mkdirSync(own);
  const site = readFileSync(join(HERE, "../../deploy/gate/nginx.conf"), "utf8")
    .replaceAll("127.0.0.1:3000", `127.0.0.1:${application.port}`)
    .replaceAll("127.0.0.1:4080", `127.0.0.1:${gate.port}`)
    .replace("listen 80;", `listen 127.0.0.1:${port};`)
    .replace("shop.example.com", "_");
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${own}/${name};`,
  );
  const text =
    `pid ${own}/pid; error_log ${own}/error.log; daemon off; master_process off; worker_processes 1; events {}\n` +
    `http { access_log off; keepalive_requests 100000000; ${folders.join(" ")}\n${site}}`;
  writeFileSync(
    join(own, "nginx.conf"),
    text.replaceAll("keepalive 32;", "keepalive 64; keepalive_requests 100000000;"),
  );
  const child = spawn("nginx", ["-e", join(own, "error.log"), "-c", join(own, "nginx.conf")], { stdio: "inherit" });
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => null);
    await response?.arrayBuffer();
    if (response) break;
    if (child.exitCode !== null) throw new Error(readFileSync(join(own, "error.log"), "utf8"));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { port, pid: child.pid as number, stop: () => stopChild(child) };
}
