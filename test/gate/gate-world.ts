// A Reeve that listens, a project with a configuration, a key for gates, and applications that say what reached them.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request as sendRequest } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { Flags } from "../../src/serve/config/config.ts";
import { createControlPlane } from "../../src/gate/bundle/control-plane.ts";
import type { GateLog } from "../../src/gate/gate-log.ts";
import { runGate } from "../../src/gate/run-gate.ts";
import type { GateConfiguration, RunningGate } from "../../src/gate/run-gate.ts";
import { LOOPBACK } from "../../src/gate/requests/trusted-proxies.ts";
import { startOwnApp, uniqueName } from "../harness/test-app.ts";
import type { Body, TestApp, TestTeam, TestUser } from "../harness/test-app.ts";
import { listen } from "../resources/event-streams.ts";

export interface GateWorld extends TestApp {
  readonly port: number;
  /** URL of the control plane. */
  readonly server: string;
  readonly user: TestUser;
  readonly team: TestTeam;
  /** An API key that gates use. */
  readonly key: string;
  /** A project with this configuration, or with a draft alone. */
  newProject(configuration?: object): Promise<string>;
  publish(projectId: string, configuration: object): Promise<void>;
  setAttackMode(projectId: string, isOn: boolean): Promise<void>;
  /** What `evaluate` decides about requests in turn. */
  evaluate(projectId: string, requests: readonly Body[]): Promise<Body[]>;
  /** A gate of this process; it ends with the tests. */
  startGate(
    configuration: Partial<GateConfiguration> & Pick<GateConfiguration, "hosts">,
    options?: { readonly server?: string; readonly key?: string; readonly log?: GateLog },
  ): Promise<RunningGate>;
  /** An empty folder that is removed in the end. */
  newFolder(): string;
}

export const SILENT: GateLog = { info() {}, warn() {}, error() {} };

export async function listenOn(listener: RequestListener): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Says as JSON what reached it. */
export const echo: RequestListener = (message, res) => {
  const { method, url, headers } = message;
  const chunks: Buffer[] = [];
  message.on("data", (chunk: Buffer) => chunks.push(chunk));
  message.on("end", () => {
    res.setHeader("content-type", "application/json");
    res.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
  });
};

export interface GateAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends one request as it is given: fetch would change its path and some of its headers. */
export async function sendTo(
  base: string,
  target: string,
  {
    method = "GET",
    headers = {},
    ip = "127.0.0.1",
    body = "",
  }: { method?: string; headers?: object; ip?: string; body?: string | Buffer } = {},
): Promise<GateAnswer> {
  const { hostname, port } = new URL(base);
  const request = sendRequest({
    host: hostname,
    port,
    method,
    path: target,
    headers: { ...headers, ...(body !== "" && { "content-length": Buffer.byteLength(body) }) },
    localAddress: ip,
    agent: false,
  });
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode as number, headers: response.headers, text: Buffer.concat(chunks).toString() };
}

export async function startGateWorld(flags: Flags = {}): Promise<GateWorld> {
  const app = await startOwnApp(flags);
  const port = await listen(app.app);
  const server = `http://127.0.0.1:${port}`;
  const user = await app.createUser();
  const team = await app.createTeam(user);
  const created = await app.request("POST", `/v1/api-keys?teamId=${team.id}`, {
    token: user.token,
    body: { name: "gate", role: "SECURITY" },
  });
  const key = created.body.value as string;
  const scope = (projectId: string) => `teamId=${team.id}&projectId=${projectId}`;

  async function call(method: string, url: string, body: unknown): Promise<Body> {
    const response = await app.request(method, url, { token: user.token, body });
    if (response.status !== 200) throw new Error(`${method} ${url}: ${response.text}`);
    return response.body;
  }

  const folders = mkdtempSync(join(tmpdir(), "reeve-gate-test-"));
  const gates: RunningGate[] = [];
  // Gates write there as long as they run, and hooks run in the order in which they were added.
  after(async () => {
    await Promise.all(gates.map((gate) => gate.close()));
    rmSync(folders, { recursive: true, force: true, maxRetries: 5 });
  });

  async function publish(projectId: string, configuration: object): Promise<void> {
    await call("PUT", `/v1/firewalls?${scope(projectId)}`, configuration);
  }

  async function setAttackMode(projectId: string, isOn: boolean): Promise<void> {
    await call("POST", `/v1/attack-challenge-mode?teamId=${team.id}`, { projectId, attackModeEnabled: isOn });
  }

  return {
    ...app,
    port,
    server,
    user,
    team,
    key,
    newFolder: () => mkdtempSync(join(folders, "folder-")),
    async newProject(configuration) {
      const projectId = uniqueName("project");
      if (configuration) await publish(projectId, configuration);
      else await call("PATCH", `/v1/firewalls/draft?${scope(projectId)}`, { action: "firewallEnabled", value: true });
      return projectId;
    },
    publish,
    setAttackMode,
    async evaluate(projectId, requests) {
      const url = `/v1/firewalls/active/evaluate?${scope(projectId)}`;
      return (await call("POST", url, { requests, trace: false })).results.map(({ decision }: Body) => decision);
    },
    async startGate(configuration, { server: at = server, key: shown = key, log = SILENT } = {}) {
      const gate = await runGate(
        {
          listen: { host: "127.0.0.1", port: 0 },
          upstream: null,
          trustedProxies: LOOPBACK,
          dir: null,
          whenNoBundle: "open",
          whenError: "closed",
          whenBodyUnread: "closed",
          bodyLimit: 65_536,
          detectOnly: [],
          redisUrl: null,
          ...configuration,
        },
        {
          controlPlane: createControlPlane({ server: at, key: () => shown }),
          server: at,
          clock: () => app.clock.now,
          log,
        },
      );
      gates.push(gate);
      after(() => gate.close());
      return gate;
    },
  };
}
