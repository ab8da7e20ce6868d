// nginx, Caddy and HAProxy with the files of deploy/gate/, whose addresses are replaced, and with the sites that a test wants.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../harness/free-port.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { nginxWith, run } from "./run-program.ts";
import { sendRaw } from "./send-raw.ts";

const DEPLOY = fileURLToPath(new URL("../../../deploy/gate/", import.meta.url));
const deployed = (file: string) => readFileSync(join(DEPLOY, file), "utf8");

for (const name of ["nginx", "caddy", "haproxy", "openssl"]) {
  if (spawnSync("which", [name]).status === 0) continue;
  throw new Error(
    `${name} is missing: install Debian's packages nginx-light, caddy, haproxy and openssl, as .ci/run does`,
  );
}

export interface Ports {
  readonly http: number;
  readonly https: number;
}

export interface Site {
  readonly host: string;
  /** URL. */
  readonly application: string;
  /** Takes hosts that no site has, too. */
  readonly isFallback: boolean;
}

interface ProxyOptions {
  /** For what the program writes. */
  readonly folder: string;
  /** URL. */
  readonly gate: string;
  readonly sites: readonly Site[];
}

interface Addresses extends ProxyOptions, Ports {
  /** Files of the certificate, of its key, and of both. */
  readonly certificate: string;
  readonly key: string;
  readonly bundle: string;
}

function nginx({ folder, http, https, gate, sites, certificate, key }: Addresses): void {
  const text = deployed("nginx.conf").replaceAll("127.0.0.1:4080", gate);
  const at = text.indexOf("\nserver {");
  const listens =
    `listen 127.0.0.1:${http}; listen 127.0.0.1:${https} ssl http2;` +
    `ssl_certificate ${certificate}; ssl_certificate_key ${key};`;
  // The first server gets what no other has.
  const inOrder = sites.toSorted((a, b) => Number(b.isFallback) - Number(a.isFallback));
  const servers = inOrder.map(({ host, application, isFallback }, index) => {
    const server = text
      .slice(at)
      .replace("listen 80;", listens)
      .replace("shop.example.com", isFallback ? "_" : host)
      .replaceAll("http://reeve_application", `http://application${index}`);
    return `upstream application${index} { server ${application}; }${server}`;
  });
  run("nginx", nginxWith(folder, text.slice(0, at) + servers.join("")));
}

function caddy({ folder, http, https, gate, sites, certificate, key }: Addresses): void {
  const text = deployed("Caddyfile").replaceAll("127.0.0.1:4080", gate);
  const at = text.indexOf("\nshop.example.com {");
  const blocks = sites.flatMap(({ host, application, isFallback }) => {
    const name = isFallback ? "" : host;
    const site = text.slice(at).replaceAll("127.0.0.1:3000", application);
    return [
      site.replace("shop.example.com {", `http://${name}:${http} {`),
      site.replace("shop.example.com {", `https://${name}:${https} {\n\ttls ${certificate} ${key}`),
    ];
  });
  writeFileSync(
    join(folder, "Caddyfile"),
    `{\n\tadmin off\n\tauto_https off\n}\n${text.slice(0, at)}${blocks.join("")}`,
  );
  const places = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  run("caddy", ["run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"], places);
}

function haproxy({ folder, http, https, gate, sites, bundle }: Addresses): void {
  const fallback = sites.find(({ isFallback }) => isFallback);
  const others = sites.filter(({ isFallback }) => !isFallback);
  const text = deployed("haproxy.cfg")
    .replace("bind :80", `bind 127.0.0.1:${http}\n    bind 127.0.0.1:${https} ssl crt ${bundle} alpn h2,http/1.1`)
    .replace("/etc/haproxy/", DEPLOY.replaceAll(" ", "\\ "))
    .replaceAll("127.0.0.1:4080", gate)
    .replaceAll("127.0.0.1:3000", fallback?.application ?? "127.0.0.1:9")
    .replace(
      "    default_backend application\n",
      `${others.map(({ host }) => `    use_backend ${host} if { var(txn.host) -m str ${host} }\n`).join("")}${fallback ? "$&" : ""}`,
    );
  const backends = others.map(({ host, application }) => `backend ${host}\n    server application ${application}\n`);
  writeFileSync(join(folder, "haproxy.cfg"), text + backends.join(""));
  run("haproxy", ["-db", "-f", join(folder, "haproxy.cfg")]);
}

const STARTS = { nginx, caddy, haproxy } as const;

export type Proxy = keyof typeof STARTS;
export const PROXIES = Object.keys(STARTS) as Proxy[];

/** Makes a certificate, and returns its file, that of its key, and one with both. */
function createCertificate(
  folder: string,
  hosts: readonly string[],
): Pick<Addresses, "certificate" | "key" | "bundle"> {
  const [certificate, key, bundle] = ["certificate", "key", "bundle"].map((name) => join(folder, `${name}.pem`)) as [
    string,
    string,
    string,
  ];
  const names = hosts.map((host) => `DNS:${host}`).join(",");
  const options = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const about = ["-subj", "/CN=localhost", "-addext", `subjectAltName=DNS:localhost,${names}`];
  execFileSync("openssl", ["req", ...options, ...about, "-keyout", key, "-out", certificate], { stdio: "ignore" });
  writeFileSync(bundle, readFileSync(certificate, "utf8") + readFileSync(key, "utf8"));
  return { certificate, key, bundle };
}

/** Resolves when it serves. It ends with the tests. */
export async function startProxy(name: Proxy, { folder, gate, sites }: ProxyOptions): Promise<Ports> {
  const [http, https] = [await freePort(), await freePort()];
  const addressOf = (url: string) => url.replace("http://", "");
  STARTS[name]({
    folder,
    http,
    https,
    gate: addressOf(gate),
    sites: sites.map((site) => ({ ...site, application: addressOf(site.application) })),
    ...createCertificate(
      folder,
      sites.map(({ host }) => host),
    ),
  });
  for (const [port, sni] of [[http, null] as const, [https, "localhost"] as const]) {
    await waitFor(`${name} to serve`, () =>
      sendRaw(port, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", sni).then(
        (text) => text !== "" || undefined,
        () => undefined,
      ),
    );
  }
  return { http, https };
}
