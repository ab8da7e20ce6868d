// The programs that operators put in front of Reeve: each with its file of deploy/, and as many people configure it without that
// file, with everything compressed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { nginxWith, run } from "../gate/programs/run-program.ts";
import type { RunningProgram } from "../gate/programs/run-program.ts";

/** Where a program listens and leads to. */
export interface Places {
  readonly https: number;
  readonly http: number;
  /** Address and port of Reeve. */
  readonly upstream: string;
  /** Those of a second process. */
  readonly second?: string;
  /** How long the program waits for a silent server or client. */
  readonly silence: string;
  /** Of nginx: how many requests a connection takes before it ends. */
  readonly requests?: number;
  readonly folder: string;
  readonly cert: string;
  readonly key: string;
  /** Both. */
  readonly pem: string;
}

export interface Program {
  /** In deploy/. */
  readonly file: string;
  /** The file for this machine's places. */
  adapt(text: string, places: Places): string;
  usual(places: Places): string;
  start(text: string, places: Places): RunningProgram;
}

/** The second process, in the files. */
const SECOND = "127.0.0.1:4001";
/** The requests of a connection, in the file of nginx. */
const MANY = 100_000;
const MODULES = "mpm_event authz_core alias proxy proxy_http headers deflate filter ssl http2 reqtimeout socache_shmcb";

function replaceEach(text: string, replacements: readonly (readonly [from: string, to: string])[]): string {
  for (const [from] of replacements) if (!text.includes(from)) throw new Error(`the file has no ${from}`);
  // At once: what one puts there, such as a port, is no text for another.
  const from = new RegExp(replacements.map((one) => RegExp.escape(one[0])).join("|"), "g");
  const to = new Map(replacements);
  return text.replace(from, (found) => to.get(found) as string);
}

export const PROGRAMS = {
  nginx: {
    file: "nginx.conf",
    adapt: (text, { https, http, upstream, second = SECOND, silence, requests = MANY, cert, key }) =>
      replaceEach(text, [
        ["listen 80;", `listen 127.0.0.1:${http};`],
        ["listen [::]:80;", `listen [::1]:${http};`],
        ["listen 443", `listen 127.0.0.1:${https}`],
        ["listen [::]:443", `listen [::1]:${https}`],
        ["reeve.example.com", "localhost"],
        ["127.0.0.1:4000", upstream],
        [SECOND, second],
        ["/etc/ssl/reeve/fullchain.pem", cert],
        ["/etc/ssl/reeve/privkey.pem", key],
        ["proxy_read_timeout 60s", `proxy_read_timeout ${silence}`],
        [`keepalive_requests ${MANY}`, `keepalive_requests ${requests}`],
      ]),
    usual: ({ https, upstream, cert, key }) => `
gzip on;
gzip_proxied any;
gzip_types application/json application/x-ndjson text/csv text/event-stream text/plain;
server {
    listen 127.0.0.1:${https} ssl http2;
    listen [::1]:${https} ssl http2;
    ssl_certificate ${cert};
    ssl_certificate_key ${key};
    location / {
        proxy_pass http://${upstream};
        proxy_set_header Host $host;
        proxy_set_header X-Real-IP $remote_addr;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Proto $scheme;
        proxy_read_timeout 5s;
    }
}
`,
    start: (text, { folder }) => run("nginx", nginxWith(folder, text, "user root;\n")),
  },
  haproxy: {
    file: "haproxy.cfg",
    adapt: (text, { https, http, upstream, second = SECOND, silence, pem }) =>
      replaceEach(text, [
        ["bind :::80 v4v6", `bind 127.0.0.1:${http}\n    bind [::1]:${http}`],
        [
          "bind :::443 v4v6 ssl crt /etc/haproxy/reeve.pem alpn h2,http/1.1",
          ["127.0.0.1", "[::1]"].map((at) => `bind ${at}:${https} ssl crt ${pem} alpn h2,http/1.1`).join("\n    "),
        ],
        ["127.0.0.1:4000", upstream],
        [SECOND, second],
        ["timeout client 60s", `timeout client ${silence}`],
        ["timeout server 60s", `timeout server ${silence}`],
      ]),
    usual: ({ https, upstream, pem }) => `
defaults
    mode http
    timeout connect 5s
    timeout client 5s
    timeout server 5s
frontend web
    bind 127.0.0.1:${https} ssl crt ${pem} alpn h2,http/1.1
    bind [::1]:${https} ssl crt ${pem} alpn h2,http/1.1
    option forwardfor
    http-request set-header X-Forwarded-Proto https
    compression algo gzip
    compression type application/json application/x-ndjson text/csv text/event-stream text/plain
    default_backend reeve
backend reeve
    server reeve ${upstream}
`,
    start(text, { folder }) {
      writeFileSync(join(folder, "haproxy.cfg"), text);
      return run("haproxy", ["-db", "-f", join(folder, "haproxy.cfg")]);
    },
  },
  caddy: {
    file: "Caddyfile",
    adapt: (text, { https, http, upstream, second = SECOND, silence, cert, key }) =>
      replaceEach(text, [
        ["{\n\tservers {", `{\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n\tservers {`],
        ["\nreeve.example.com {", `\nlocalhost {\n\tbind 127.0.0.1 [::1]\n\ttls ${cert} ${key}`],
        ["127.0.0.1:4000", upstream],
        [SECOND, second],
        ["response_header_timeout 60s", `response_header_timeout ${silence}`],
      ]),
    usual: ({ https, http, upstream, cert, key }) => `{
	admin off
	http_port ${http}
	https_port ${https}
}
localhost {
	bind 127.0.0.1 [::1]
	tls ${cert} ${key}
	encode zstd gzip
	reverse_proxy ${upstream}
}
`,
    start(text, { folder }) {
      writeFileSync(join(folder, "Caddyfile"), text);
      const homes = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
      return run("caddy", ["run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"], homes);
    },
  },
  apache2: {
    file: "apache.conf",
    adapt: (text, { https, http, upstream, silence, cert, key }) =>
      [`Listen 127.0.0.1:${http}`, `Listen [::1]:${http}`, `Listen 127.0.0.1:${https}`, `Listen [::1]:${https}\n`].join(
        "\n",
      ) +
      replaceEach(text, [
        ["*:80", `*:${http}`],
        ["*:443", `*:${https}`],
        ["reeve.example.com/", `localhost:${https}/`],
        ["ServerName reeve.example.com", "ServerName localhost"],
        ["127.0.0.1:4000", upstream],
        ["/etc/ssl/reeve/fullchain.pem", cert],
        ["/etc/ssl/reeve/privkey.pem", key],
        ["ProxyTimeout 60", `ProxyTimeout ${silence.replace("s", "")}`],
      ]),
    usual: ({ https, upstream, cert, key }) => `
Listen 127.0.0.1:${https}
Listen [::1]:${https}
Protocols h2 http/1.1
<VirtualHost *:${https}>
    SSLEngine on
    SSLCertificateFile ${cert}
    SSLCertificateKeyFile ${key}
    SetOutputFilter DEFLATE
    ProxyPreserveHost On
    ProxyTimeout 5
    RequestHeader set X-Forwarded-Proto https
    ProxyPass / http://${upstream}/
    ProxyPassReverse / http://${upstream}/
</VirtualHost>
`,
    start(text, { folder }) {
      const modules = MODULES.split(" ").map(
        (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
      );
      const own = ["PidFile pid", "ErrorLog error.log", "ServerName localhost", "User www-data", "Group www-data"];
      const all = [`ServerRoot "${folder}"`, `DefaultRuntimeDir "${folder}"`, ...own, ...modules, text];
      writeFileSync(join(folder, "apache.conf"), all.join("\n"));
      return run("apache2", ["-f", join(folder, "apache.conf"), "-DFOREGROUND"]);
    },
  },
} as const satisfies Readonly<Record<string, Program>>;

export type ProgramName = keyof typeof PROGRAMS;
