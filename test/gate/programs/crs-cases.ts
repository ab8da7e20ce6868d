// Requests of the OWASP core rule set's own regression tests: those of the sample beside the checkout, and without it a few that are kept
// here. They are facts of that project (Apache-2.0, like this one); the file says which version they are of.
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";

export interface CrsCase {
  readonly id: string;
  readonly category: string;
  readonly kind: "attack" | "benign";
  readonly paranoia: number;
  readonly request: {
    readonly method: string;
    readonly uri: string;
    readonly version: string;
    readonly headers: readonly (readonly [name: string, value: string])[];
    readonly body?: string;
  };
}

const SAMPLE = fileURLToPath(new URL("../../../../shared/samples/crs-cases.json", import.meta.url));
const KEPT = fileURLToPath(new URL("crs-cases.json", import.meta.url));

function readCases(file: string): readonly CrsCase[] {
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly cases: readonly CrsCase[] }).cases;
}

/** Attacks that are denied by rules of their own category alone, and ordinary requests. */
export const KEPT_CASES = readCases(KEPT);

/** Of the first paranoia level, which is the one that rule sets have on. */
export const CASES = existsSync(SAMPLE) ? readCases(SAMPLE).filter(({ paranoia }) => paranoia === 1) : KEPT_CASES;

/** Sends the bytes as they are: clients of HTTP would mend them. Resolves to the status; 0: there was none. */
export async function sendCase(url: string, { request }: CrsCase): Promise<number> {
  const { method, uri, version, headers, body = "" } = request;
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const isFramed = body === "" || names.has("content-length") || names.has("transfer-encoding");
  const lines = [
    `${method} ${uri} ${version}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(isFramed ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.setTimeout(10_000, () => socket.destroy());
  let seen = "";
  socket.on("data", (chunk: Buffer) => {
    seen += chunk.toString("latin1");
    if (seen.length >= 12) socket.destroy();
  });
  socket.on("error", () => undefined);
  socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
  if (!socket.destroyed) await once(socket, "close");
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(seen)?.[1] ?? 0);
}
