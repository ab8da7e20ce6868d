// Sends requests through a gate to each application, and finds what an application reads and the rule on that name did not see.
import { decodeBody } from "../../../src/firewall/evaluator/body/decode-body.ts";
import { RequestView } from "../../../src/firewall/evaluator/request/request.ts";
import { startGateWorld } from "../gate-world.ts";
import { readingsIn, serves, startApplications } from "./applications.ts";
import type { Reading } from "./applications.ts";
import { bytesOf, sendRaw } from "./raw-request.ts";
import type { RawRequest } from "./raw-request.ts";
import { CONFIGURATION, OPEN_PATH, pathsFor } from "./watched-names.ts";

/** An application has read a value, and the gate has let the request through although the rule on that name denies the value. */
export interface Disagreement {
  readonly application: string;
  readonly reading: Reading;
  readonly request: RawRequest;
}

export interface Laboratory {
  /** Ports of the applications, and of the gate before each. */
  readonly applications: Readonly<Record<string, { readonly port: number; readonly gatePort: number }>>;
  /** Requests that went through a gate, values that rules deny and applications read, and those that rules did not see. */
  readonly counts: { requests: number; readings: number; disagreements: number };
  /** Adds to `readers` who reads a value that a rule denies. */
  findDisagreements(request: RawRequest, readers: Set<string>): Promise<readonly Disagreement[]>;
}

export async function startLaboratory(): Promise<Laboratory> {
  const world = await startGateWorld();
  const project = await world.newProject(CONFIGURATION);
  const hosts = [{ host: "*", team: world.team.slug, project }];
  const applications: Record<string, { port: number; gatePort: number }> = {};
  for (const [name, port] of Object.entries(await startApplications())) {
    const gate = await world.startGate({ hosts, upstream: `http://127.0.0.1:${port}` });
    applications[name] = { port, gatePort: Number(new URL(gate.url).port) };
  }
  const counts = { requests: 0, readings: 0, disagreements: 0 };

  async function readThrough(application: string, request: RawRequest, path: string): Promise<readonly Reading[]> {
    counts.requests++;
    const { port, gatePort } = applications[application] as { port: number; gatePort: number };
    const bytes = bytesOf(request, path);
    const { status, body } = await sendRaw(gatePort, bytes);
    // An application that has ended reads nothing of any request.
    if ((status === 0 || status >= 500) && !(await serves(port)))
      throw new Error(`${application} answers no more after ${JSON.stringify(bytes)}`);
    return status === 200 ? readingsIn(body) : [];
  }

  async function examine(
    application: string,
    request: RawRequest,
    readers: Set<string>,
  ): Promise<readonly Disagreement[]> {
    const open = await readThrough(application, request, OPEN_PATH);
    const paths = new Set(open.flatMap(pathsFor));
    counts.readings += paths.size;
    if (paths.size > 0) readers.add(application);
    const found: Disagreement[] = [];
    for (const path of paths) {
      const readings = await readThrough(application, request, path);
      const reading = readings.find((one) => pathsFor(one).includes(path));
      if (reading) found.push({ application, reading, request });
    }
    counts.disagreements += found.length;
    return found;
  }

  return {
    applications,
    counts,
    async findDisagreements(request, readers) {
      const all = Object.keys(applications).map((name) => examine(name, request, readers));
      return (await Promise.all(all)).flat();
    },
  };
}

const escaped = (bytes: string) =>
  JSON.stringify(bytes).replaceAll(/[\x7f-\xff]/g, (byte) => String.raw`\x` + byte.charCodeAt(0).toString(16));

/** What rules see of a request, of the kind of a reading. */
function valuesSeen({ query, head, body }: RawRequest, kind: Reading["kind"]): string {
  const headers: Record<string, string[]> = {};
  for (const line of head.split("\r\n").filter((one) => one.includes(":"))) {
    const [name, value] = [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)];
    (headers[name.toLowerCase()] ??= []).push(value.trim());
  }
  const { values, problem } = decodeBody(
    { contentType: headers["content-type"], contentEncoding: headers["content-encoding"] },
    Buffer.from(body, "latin1"),
  );
  const view = new RequestView({ url: `/?${query}`, headers, body: { values, problem } });
  const named = view.allNamed(kind);
  const seen = [...named.eachName()].map((name) => `${name}: ${named.of(name).texts.join(" | ")}`);
  return kind === "body" && problem ? problem.found : seen.map(escaped).join(", ");
}

export function describeDisagreement({
  application,
  reading: { kind, name, value, number },
  request,
}: Disagreement): string {
  return [
    `${application} reads ${kind} ${escaped(name)} = ${escaped(value)}${number === null ? "" : ` (${number})`}`,
    `  rules see ${valuesSeen(request, kind)}`,
    `  ${escaped(bytesOf(request, "/"))}`,
  ].join("\n");
}
