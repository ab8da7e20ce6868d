// The applications of the laboratory: each runs as its framework's documentation says, and tells what it reads of a request.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { after } from "node:test";
import { freePort } from "../../harness/free-port.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { run } from "../programs/run-program.ts";
import type { WrittenReading } from "./applications/readings.ts";
import { bytesOf, sendRaw } from "./raw-request.ts";

const FOLDER = join(import.meta.dirname, "applications");
/** Debian's: another Python on the path has no Django. */
const PYTHON = "/usr/bin/python3";

/** What an application reads of a request under a name. */
export interface Reading {
  readonly kind: WrittenReading[0];
  readonly name: string;
  readonly value: string;
  readonly number: number | null;
}

const FOREIGN: Readonly<Record<string, (port: number) => readonly string[]>> = {
  PHP: (port) => ["php", "-S", `127.0.0.1:${port}`, join(FOLDER, "application.php")],
  Django: (port) => [PYTHON, join(FOLDER, "application.py"), String(port)],
  Rack: (port) => ["ruby", join(FOLDER, "application.rb"), String(port)],
};

for (const [program, check] of [
  ["php", ["--version"]],
  [PYTHON, ["-c", "import django"]],
  ["ruby", ["-e", "require 'rack'; require 'webrick'; require 'rexml/document'"]],
] as const) {
  if (spawnSync(program, check).status === 0) continue;
  throw new Error(
    `${program} is missing: install Debian's packages php-cli, python3-django, ruby-rack and ruby-webrick, as .ci/run does`,
  );
}

async function startNodeApplications(): Promise<Readonly<Record<string, number>>> {
  const child = spawn(process.execPath, [join(FOLDER, "node-process.ts")], { stdio: ["ignore", "pipe", "inherit"] });
  let isStopping = false;
  child.on("exit", (code) => {
    if (!isStopping) throw new Error(`the applications on Node.js ended with ${code}`);
  });
  after(async () => {
    isStopping = true;
    if (child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return JSON.parse(line) as Record<string, number>;
}

const EMPTY = bytesOf({ method: "GET", query: "", head: "", body: "" }, "/");

export async function serves(port: number): Promise<boolean> {
  return (await sendRaw(port, EMPTY)).status === 200;
}

/** Starts all of them until the end of the tests: their ports by name. */
export async function startApplications(): Promise<Readonly<Record<string, number>>> {
  const ports: Record<string, number> = {};
  for (const [name, command] of Object.entries(FOREIGN)) {
    const port = await freePort();
    const [program = "", ...args] = command(port);
    run(program, args);
    ports[name] = port;
  }
  Object.assign(ports, await startNodeApplications());
  for (const [name, port] of Object.entries(ports)) {
    await waitFor(`${name} to serve`, async () => (await serves(port)) || undefined);
  }
  return ports;
}

/** An answer of an application; one that it did not write has none. */
export function readingsIn(body: Buffer): readonly Reading[] {
  const text = body.toString();
  if (!text.startsWith("[")) return [];
  return (JSON.parse(text) as WrittenReading[]).map(([kind, name, value, number]) => ({
    kind,
    name: Buffer.from(name, "base64").toString(),
    value: Buffer.from(value, "base64").toString(),
    number,
  }));
}
