// Two sites behind one proxy, set up as the files of deploy/gate/ say: each has an application of its own and is protected by a project.
// The gate's other hosts are those of the second site, so that a host that only the proxy takes for the first one is let through.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "../../harness/free-port.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { startGateWorld } from "../gate-world.ts";
import { nginxWith, run } from "./run-program.ts";
import { sendRaw } from "./send-raw.ts";

const DEPLOY = fileURLToPath(new URL("../../../deploy/gate/", import.meta.url));
const deployed = (file: string) => readFileSync(join(DEPLOY, file), "utf8");

/** Who has this header may use the first site; everybody else is denied. */
export const LET_IN = { name: "x-let-in", value: "yes" } as const;

export interface Sites {
  readonly http: number;
  readonly https: number;
}

interface Addresses extends Sites {
  readonly folder: string;
  readonly gate: string;
  /** `host:port` of the applications. */
  readonly admin: string;
  readonly open: string;
  readonly certificate: string;
  readonly key: string;
}

function nginx({ folder, http, https, gate, admin, open, certificate, key }: Addresses): void {
  const text = deployed("nginx.conf").replaceAll("127.0.0.1:4080", gate).replaceAll("127.0.0.1:3000", open);
  const at = text.indexOf("\nserver {");
  const [shared, site] = [text.slice(0, at), text.slice(at)];
  const listens = `listen 127.0.0.1:${http}; listen 127.0.0.1:${https} ssl http2; ssl_certificate ${certificate}; ssl_certificate_key ${key};`;
  const siteOf = (name: string, upstream: string) =>
    site
      .replace("listen 80;", listens)
      .replace("shop.example.com", name)
      .replaceAll("http://reeve_application", `http://${upstream}`);
  const more = `upstream admin_application { server ${admin}; }\n`;
  const sites = siteOf("admin.test", "admin_application") + siteOf("open.test", "reeve_application");
  run("nginx", nginxWith(folder, shared + more + sites));
}

/** In both the first site is the one that takes hosts that no site names, where the program has such a one. */
export const PROXIES: Readonly<Record<string, (addresses: Addresses) => void>> = { nginx };

interface Seen {
  readonly url: string;
  /** As the two headers say it that applications look at. */
  readonly hosts: readonly string[];
  readonly isLetIn: boolean;
  readonly seen: string;
}

/** An application that says its name, and what it got so far. It ends with the tests. */
async function startApplication(name: string) {
  const requests: Seen[] = [];
  const server = createServer((message, res) => {
    const { url = "", headers } = message;
    const isLetIn = headers[LET_IN.name] === LET_IN.value;
    const hosts = [headers.host, headers["x-forwarded-host"]].map(String);
    requests.push({ url, hosts, isLetIn, seen: `${message.method} ${url} ${JSON.stringify(headers)}` });
    message.resume();
    message.on("end", () => {
      res.setHeader("x-application", name);
      res.setHeader("content-type", "application/json");
      res.end(
        JSON.stringify({ application: name, url: message.url, method: message.method, headers: message.headers }),
      );
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { requests, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const world = await startGateWorld();
const allow = (key: string, value: string) => ({ type: "header", key, op: "eq", value, neg: true });
const denied = await world.newProject({
  firewallEnabled: true,
  rules: [
    {
      name: "Only who is let in",
      active: true,
      conditionGroup: [{ conditions: [allow(LET_IN.name, LET_IN.value)] }],
      action: { mitigate: { action: "deny" } },
    },
  ],
});
const free = await world.newProject({ firewallEnabled: true, rules: [] });
export const admin = await startApplication("admin");
export const open = await startApplication("open");

const folder = world.newFolder();
const [certificate, key] = [join(folder, "certificate.pem"), join(folder, "key.pem")];
execFileSync(
  "openssl",
  // prettier-ignore
  ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=admin.test",
    "-addext", "subjectAltName=DNS:admin.test,DNS:open.test,DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate],
  { stdio: "ignore" },
);

const { team } = world;
const gate = await world.startGate({
  hosts: [
    { host: "admin.test", team: team.slug, project: denied },
    { host: "*", team: team.slug, project: free },
  ],
});

export async function startSites(start: (addresses: Addresses) => void): Promise<Sites> {
  const [http, https] = [await freePort(), await freePort()];
  start({
    folder: world.newFolder(),
    http,
    https,
    gate: gate.url.replace("http://", ""),
    admin: admin.address,
    open: open.address,
    certificate,
    key,
  });
  for (const port of [http, https]) {
    await waitFor(`port ${port} to be listened at`, () =>
      sendRaw(
        port,
        "GET / HTTP/1.1\r\nHost: open.test\r\nConnection: close\r\n\r\n",
        port === https ? "open.test" : null,
      ).then(
        (text) => text.startsWith("HTTP/1.1 200") || undefined,
        () => undefined,
      ),
    );
  }
  open.requests.length = 0;
  return { http, https };
}
