// A real Reeve behind a program, and clients of it that speak HTTP/1.1 and HTTP/2 over TLS, from addresses of their own.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo, LookupFunction } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { Agent, fetch } from "undici";
import { createClient } from "../../src/client/client.ts";
import type { Client } from "../../src/client/client.ts";
import { makeCertificate } from "../egress/certificate.ts";
import { freePort } from "../harness/free-port.ts";
import { startOwnApp } from "../harness/test-app.ts";
import type { TestApp } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import type { RunningProgram } from "../gate/programs/run-program.ts";
import { PROGRAMS } from "./programs.ts";
import type { Places, ProgramName } from "./programs.ts";
import { startHoldingRelay } from "./holding-relay.ts";
import type { HoldingRelay } from "./holding-relay.ts";

const DEPLOY = fileURLToPath(new URL("../../deploy/", import.meta.url));
/** Several comments come within the time after which the programs cut what is silent. */
const HEARTBEAT_MS = 500;

export const certificate = makeCertificate("localhost");

for (const name of Object.keys(PROGRAMS)) {
  if (spawnSync("which", [name]).status === 0) continue;
  throw new Error(
    `${name} is missing: install Debian's packages nginx-light, haproxy, caddy and apache2, as .ci/run does`,
  );
}

export interface Connection {
  /** HTTP/2, where the program offers it. */
  readonly h2?: boolean;
  /** Of the client. */
  readonly address?: "127.0.0.2" | "::1";
}

export interface Front {
  /** Without a slash at the end. */
  readonly url: string;
  /** Without TLS, by IPv6: Caddy redirects at one of its addresses alone. */
  readonly httpUrl: string;
  /** Between the program and Reeve. */
  readonly relay: HoldingRelay;
  /** Sends a request below `url` and reads its whole response. */
  send(method: string, path: string, init?: SentInit, connection?: Connection): Promise<Received>;
  client(token: string, connection?: Connection): Client;
}

interface SentInit {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Behind extends TestApp {
  readonly port: number;
}

/** How somebody configures a program: by the file of deploy/, by that file below the path /reeve or for two processes, or without it. */
export type Way = "file" | "below" | "two" | "usual";

/** The beginnings of the comments that say what else to write. */
const COMMENTS: Partial<Readonly<Record<Way, string>>> = {
  below: "# Below a path of a site",
  two: "# Two processes on one PostgreSQL",
};

const COUNT = { one: 1, two: 2 } as const;
const IN_PLACE = /in place of (one|two) lines?:$/i;

/** Follows a comment of a file: puts its lines in place of those after it. */
function follow(text: string, comment: string): string {
  const lines = text.split("\n");
  const from = lines.findIndex((line) => line.trim().startsWith(comment));
  const at = lines.findIndex((line, n) => n >= from && IN_PLACE.test(line));
  const count = COUNT[IN_PLACE.exec(lines[at] ?? "")?.[1] as "one" | "two"];
  let end = at + 1;
  while (/^\s*# {3}/.test(lines[end] ?? "")) end++;
  const written = lines.slice(at + 1, end).map((line) => line.replace(/# {3}/, ""));
  return [...lines.slice(0, at), ...written, ...lines.slice(end + count)].join("\n");
}

/** How a client at this address reaches a program. */
export function connectFrom(localAddress: string) {
  const to = localAddress === "::1" ? { address: "::1", family: 6 } : { address: "127.0.0.1", family: 4 };
  const lookup: LookupFunction = (_host, { all }, done) => (all ? done(null, [to]) : done(null, to.address, to.family));
  return { localAddress, ca: certificate.cert, lookup };
}

export function agentOf(allowH2: boolean, address: string): Agent {
  const { localAddress, ...connect } = connectFrom(address);
  const agent = new Agent({ allowH2, localAddress, connect });
  after(() => agent.destroy());
  return agent;
}

/** Starts a Reeve that trusts the programs in front of it. `publicUrl` is where browsers see it. */
export async function startBehind(publicUrl = "https://localhost"): Promise<Behind> {
  const flags = { trustedProxies: "127.0.0.1", publicUrl };
  const api = await startOwnApp(flags, undefined, { heartbeatMs: HEARTBEAT_MS });
  await api.app.server.listen({ host: "127.0.0.1", port: 0 });
  return { ...api, port: (api.app.server.server.address() as AddressInfo).port };
}

/** Starts a program in front of what listens at the places. */
export function startProgram(
  name: ProgramName,
  way: Way,
  where: Omit<Places, "folder" | "cert" | "key" | "pem">,
): RunningProgram {
  const program = PROGRAMS[name];
  const folder = mkdtempSync(join(tmpdir(), "reeve-front-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const [cert, key, pem] = ["cert.pem", "key.pem", "both.pem"].map((one) => join(folder, one)) as [
    string,
    string,
    string,
  ];
  writeFileSync(cert, certificate.cert);
  writeFileSync(key, certificate.key);
  writeFileSync(pem, certificate.cert + certificate.key);
  const places = { ...where, folder, cert, key, pem };
  const text = readFileSync(join(DEPLOY, program.file), "utf8");
  const comment = COMMENTS[way];
  const written = comment === undefined ? text : follow(text, comment);
  return program.start(way === "usual" ? program.usual(places) : program.adapt(written, places), places);
}

/** Starts a program in front of a Reeve, which `startReeve` returns for the URL of the program. */
export async function startFront(
  name: ProgramName,
  way: Way,
  startReeve: (url: string) => Promise<Behind>,
): Promise<Front> {
  const [https, http] = [await freePort(), await freePort()];
  const url = `https://localhost:${https}${way === "below" ? "/reeve" : ""}`;
  const reeve = await startReeve(url);
  const relay = await startHoldingRelay(reeve.port);
  // Several comments of a live stream come within the silence.
  startProgram(name, way, { https, http, upstream: `127.0.0.1:${relay.port}`, silence: "5s" });
  // Made now, so that they end with the file and not with the first test that uses them.
  const agents = new Map(
    [false, true].flatMap((h2) => ["127.0.0.2", "::1"].map((address) => [`${h2} ${address}`, agentOf(h2, address)])),
  );
  function fetchBy({ h2 = false, address = "127.0.0.2" }: Connection) {
    const dispatcher = agents.get(`${h2} ${address}`) as Agent;
    // The types of undici's own fetch differ from those of the global one.
    return (to: URL, init: object) =>
      fetch(to, { redirect: "manual", ...init, dispatcher }) as unknown as Promise<Response>;
  }
  async function send(
    method: string,
    path: string,
    init: SentInit = {},
    connection: Connection = {},
  ): Promise<Received> {
    const response = await fetchBy(connection)(new URL(url + path), { method, ...init });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  await waitFor(`${name} to serve`, async () => {
    const live = await send("GET", "/health/live").catch(() => undefined);
    return live?.status === 200 || undefined;
  });
  return {
    url,
    httpUrl: `http://[::1]:${http}`,
    relay,
    send,
    client: (token, connection = {}) => createClient({ server: url, token, fetch: fetchBy(connection), retries: 0 }),
  };
}
