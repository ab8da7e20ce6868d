// nginx with ModSecurity and the core rule set, as deploy/gate/nginx-modsecurity.conf sets it up, with one rendered configuration: which
// requests it denies, and by which rules.
import { Agent, request as sendRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { CRS_CATEGORIES } from "../../../src/firewall/evaluator/config.ts";
import type { CategorySwitch, CrsCategory, Rule } from "../../../src/firewall/evaluator/config.ts";
import { parseAuditEntry } from "../../../src/gate/seclang/audit-entry.ts";
import type { AuditEntry } from "../../../src/gate/seclang/audit-entry.ts";
import { renderSeclang } from "../../../src/gate/seclang/render.ts";
import { freePort } from "../../harness/free-port.ts";
import { waitFor } from "../../harness/wait-for.ts";
import type { CorpusRequest } from "./crs-corpus.ts";
import { nginxWith, run } from "./run-program.ts";

const DEPLOY = fileURLToPath(new URL("../../../deploy/gate/", import.meta.url));
const CONCURRENCY = 8;

export interface Outcome {
  readonly request: CorpusRequest;
  readonly status: number;
  /** The ids of the rules that matched, if it was denied. */
  readonly rules: readonly number[];
}

export interface CrsEngine {
  send(requests: readonly CorpusRequest[]): Promise<readonly Outcome[]>;
}

const ALL_DENY = Object.fromEntries(CRS_CATEGORIES.map((name) => [name, { active: true, action: "deny" }])) as Record<
  CrsCategory,
  CategorySwitch
>;

/** All categories deny, but for what these rules exempt. */
export async function startEngine(exempting: readonly Rule[] = []): Promise<CrsEngine> {
  const folder = mkdtempSync(join(tmpdir(), "reeve-crs-"));
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const [enginePort, applicationPort] = [await freePort(), await freePort()];
  const auditLog = join(folder, "audit.json");
  const rules = join(folder, "rules.conf");
  const project = "acme/shop";
  const { text, notes } = renderSeclang({
    project,
    configuration: { firewallEnabled: true, crs: ALL_DENY, rules: exempting, ips: [] },
    rules: "/usr/share/modsecurity-crs/rules",
    paranoia: null,
    watched: [],
  });
  if (notes.length > 0) throw new Error(notes.join("\n"));
  writeFileSync(rules, text);
  const withPlaces = (name: string) =>
    readFileSync(join(DEPLOY, name), "utf8")
      .replaceAll("127.0.0.1:3000", `127.0.0.1:${applicationPort}`)
      .replaceAll("127.0.0.1:3001", `127.0.0.1:${enginePort}`)
      .replaceAll("/etc/nginx/reeve/acme~shop.conf", rules)
      .replaceAll("/etc/nginx/reeve", folder)
      .replaceAll("/var/log/reeve-modsecurity/audit.json", auditLog);
  writeFileSync(join(folder, "engine.conf"), withPlaces("modsecurity/engine.conf"));
  const front = withPlaces("nginx.conf");
  const site = front.slice(0, front.indexOf("\nserver {")) + withPlaces("nginx-modsecurity.conf");
  const application = `\nserver { listen 127.0.0.1:${applicationPort}; location / { return 200 ok; } }\n`;
  // Tests of other files in the same process may come between two requests.
  run(
    "nginx",
    nginxWith(
      folder,
      `keepalive_requests 100000; keepalive_timeout 1d;\n${site}${application}`,
      "load_module /usr/lib/nginx/modules/ngx_http_modsecurity_module.so; worker_processes 2; ",
    ),
  );
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  after(() => agent.destroy());

  async function sendOne({ method, target, headers, body }: CorpusRequest) {
    const request = sendRequest({ host: "127.0.0.1", port: enginePort, method, path: target, headers, agent });
    request.end(body);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    response.resume();
    await once(response, "end");
    const [, id = null] = /id=(\w+)/.exec(String(response.headers["x-accel-redirect"] ?? "")) ?? [];
    return { status: response.statusCode as number, id };
  }

  await waitFor("nginx to serve", async () => {
    const probe = {
      group: "",
      method: "GET",
      target: "/",
      headers: { host: "shop.example.com" },
      body: Buffer.alloc(0),
    };
    return (await sendOne(probe).catch(() => null))?.status === 200 || undefined;
  });

  const found = new Map<string, AuditEntry>();
  let lineCount = 0;

  /** Takes the whole lines that are new in the audit log. */
  function readLog(): void {
    const lines = readFileSync(auditLog, "utf8").split("\n").slice(0, -1);
    for (const line of lines.slice(lineCount)) {
      const entry = parseAuditEntry(line);
      if (entry) found.set(entry.id, entry);
    }
    lineCount = lines.length;
  }

  return {
    async send(requests) {
      const answers = await Promise.all(requests.map(sendOne));
      const denied = new Set(answers.flatMap(({ id }) => (id === null ? [] : [id])));
      await waitFor("the audit log to be whole", () => {
        readLog();
        return [...denied].every((id) => found.has(id)) || undefined;
      });
      return requests.map((request, at) => {
        const { status, id } = answers[at] as (typeof answers)[number];
        return {
          request,
          status,
          rules: (id === null ? undefined : found.get(id))?.rules.map((rule) => rule.id) ?? [],
        };
      });
    },
  };
}
