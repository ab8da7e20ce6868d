// Heads that applications read in another way than a proxy: what a client sends under a foreign name, as a claim, as a header of the
// connection or behind the body never reaches PHP and Node.js behind the files of deploy/gate/, nor does a request that nobody decided about.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { CLAIMS } from "../../../src/gate/requests/claims.ts";
import { freePort } from "../../harness/free-port.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { listenOn, sendTo, startGateWorld } from "../gate-world.ts";
import { PROXIES, startProxy } from "./proxy-programs.ts";
import { run } from "./run-program.ts";
import { sendRaw } from "./send-raw.ts";

const rule = (name: string, ...conditions: object[]) => ({
  name,
  active: true,
  conditionGroup: [{ conditions }],
  action: { mitigate: { action: "deny" } },
});
const world = await startGateWorld();
const project = await world.newProject({
  firewallEnabled: true,
  rules: [
    rule("override", { type: "header", key: "x-http-method-override", op: "ex" }),
    rule("token", { type: "header", key: "x-token", op: "eq", value: "stolen" }),
    rule("cookie", { type: "cookie", key: "bad", op: "ex" }),
    rule("hidden", { type: "path", op: "pre", value: "/hidden" }),
  ],
});

/** Says as JSON what PHP makes of a head. */
const folder = world.newFolder();
const phpPort = await freePort();
writeFileSync(join(folder, "index.php"), "<?php header('Content-Type: application/json'); echo json_encode($_SERVER);");
run("php", ["-S", `127.0.0.1:${phpPort}`, join(folder, "index.php")]);
const php = `http://127.0.0.1:${phpPort}`;
await waitFor("PHP to serve", async () => (await sendTo(php, "/").catch(() => undefined)) || undefined);

/** The heads that reach it, also of a request that a proxy does not know of. */
const seen: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];
const node = await listenOn((message, res) => {
  const { url = "", headers } = message;
  seen.push({ url, headers });
  message.resume();
  message.on("end", () => res.end());
});
// Some applications answer CONNECT like any request, and read the next one from the same connection.
node.server.on("connect", (message: IncomingMessage, socket: Socket) => {
  seen.push({ url: `CONNECT ${message.url}`, headers: message.headers });
  socket.on("error", () => undefined);
  socket.on("data", (data: Buffer) => {
    for (const [, url = ""] of data.toString().matchAll(/^GET (\S+)/gm)) seen.push({ url, headers: {} });
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  });
  socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
});
const count = (wanted: string) => seen.filter(({ url }) => url === wanted).length;

const FOREIGN = "!#$%&'*+.^_`|~";
const HOSTS = { php: "php.test", node: "node.test" } as const;
/** None of these comes from a client, even if a client sends one. */
const CLAIMED = [...CLAIMS.flatMap(({ names }) => names), "x-reeve-retry-after"];
/** nginx cannot remove headers by how their names begin. */
const BY_PREFIX = CLAIMS.flatMap(({ prefixes = [] }) => prefixes.map((prefix) => `${prefix}anything`));

for (const name of PROXIES) {
  const gate = await world.startGate({ hosts: [{ host: "*", team: world.team.slug, project }] });
  const { http } = await startProxy(name, {
    folder: world.newFolder(),
    gate: gate.url,
    sites: [
      { host: HOSTS.php, application: php, isFallback: false },
      { host: HOSTS.node, application: node.url, isFallback: true },
    ],
  });

  /** Sends these lines, and returns the status and what PHP makes of them where it got them. */
  async function toPhp(
    lines: readonly string[],
    body = "",
  ): Promise<{ status: number; server: Record<string, string> }> {
    const close = lines.some((line) => line.startsWith("Connection")) ? [] : ["Connection: close"];
    const text = ["POST / HTTP/1.1", `Host: ${HOSTS.php}`, ...lines, ...close, "", body].join("\r\n");
    const response = await sendRaw(http, text);
    const json = /\{"[^]*\}/.exec(response)?.[0];
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1]);
    return { status, server: status === 200 && json !== undefined ? JSON.parse(json) : {} };
  }

  describe(`heads through ${name}`, () => {
    it("have no names but of letters, digits and hyphens, which PHP would take for others", async () => {
      assert.equal((await toPhp(["X-Http-Method-Override: DELETE"])).status, 403);
      const statuses = new Set<number>();
      for (const other of FOREIGN) {
        const written = (header: string) => header.replaceAll("-", other);
        const { status, server } = await toPhp([
          `${written("X-Http-Method-Override")}: DELETE`,
          `X-Http${other}Method-Override: DELETE`,
          `${written("X-Reeve-Decision")}: allow; rule=forged`,
          `${written("X-Real-IP")}: 198.51.100.1`,
          `${written("X-Token")}: stolen`,
        ]);
        statuses.add(status);
        if (status !== 200) continue;
        assert.match(String(server["HTTP_X_REEVE_DECISION"]), /^allow; version=/, other);
        assert.equal(server["HTTP_X_REAL_IP"], "127.0.0.1", other);
        for (const header of ["HTTP_X_HTTP_METHOD_OVERRIDE", "HTTP_X_TOKEN"]) {
          assert.equal(server[header], undefined, other + header);
        }
      }
      assert.deepEqual(statuses, new Set([200]));
    });

    it("have no claims of a client", async () => {
      const names = [...CLAIMED, ...(name === "nginx" ? [] : BY_PREFIX)];
      // HAProxy takes 80 headers at once.
      for (let at = 0; at < names.length; at += 60) {
        const lines = names.slice(at, at + 60).map((header) => `${header}: claimed`);
        const { status, server } = await toPhp(lines);
        assert.equal(status, 200);
        assert.deepEqual(
          Object.entries(server).filter(([, value]) => value === "claimed"),
          [],
        );
      }
    });

    it("say nothing of the connection to what is behind the application, but for a WebSocket", async () => {
      const names = "X-Reeve-Decision, X-Real-IP, X-Forwarded-Host, HTTP2-Settings";
      const h2c = ["Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"];
      for (const lines of [
        [`Connection: close, ${names}`],
        [`Connection: ${names}`, "Connection: close"],
        [`Connection: close, Upgrade, ${names}`, ...h2c],
        [...h2c, "Connection: close"],
      ]) {
        const { status, server } = await toPhp(lines);
        assert.equal(status, 200);
        assert.match(server["HTTP_CONNECTION"] ?? "close", /^(?:close|keep-alive)$/i, lines.join());
        assert.deepEqual([server["HTTP_UPGRADE"], server["HTTP_HTTP2_SETTINGS"]], [undefined, undefined], lines.join());
      }
      const key = ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="];
      const { server } = await toPhp(["Upgrade: websocket", `Connection: ${names}, Upgrade, close`, ...key]);
      assert.match(String(server["HTTP_CONNECTION"]), /^upgrade$/i);
      assert.equal(server["HTTP_UPGRADE"], "websocket");
    });

    it("are not continued by what comes behind a body", async () => {
      const trailers = "X-Http-Method-Override: DELETE\r\nX-Token: stolen\r\n";
      for (const announced of [[], ["Trailer: X-Http-Method-Override, X-Token", "TE: trailers"]]) {
        const lines = ["Content-Type: text/plain", "Transfer-Encoding: chunked", ...announced];
        const { status, server } = await toPhp(lines, `1\r\nx\r\n0\r\n${trailers}\r\n`);
        // As docs/gate.md says of it: before 3.2 it cannot drop them.
        const isPassed = name === "haproxy";
        assert.deepEqual([status, server["HTTP_X_HTTP_METHOD_OVERRIDE"]], [200, isPassed ? "DELETE" : undefined]);
      }
    });

    it("keep what the proxy says when the client says that it is about the connection", async () => {
      const said = ["X-Reeve-Decision", "X-Real-IP", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"];
      for (const names of [said.join(", "), "Host", "X-Forwarded-Uri, X-Forwarded-Method", "x-reeve-status, Cookie"]) {
        const { status, server } = await toPhp([`Connection: close, ${names}`, "X-Harmless: yes"]);
        assert.equal(status, 200, names);
        assert.match(String(server["HTTP_X_REEVE_DECISION"]), /^allow; version=/, names);
        assert.deepEqual(
          [
            server["HTTP_X_REAL_IP"],
            server["HTTP_X_FORWARDED_FOR"],
            server["HTTP_X_FORWARDED_HOST"],
            server["HTTP_X_FORWARDED_PROTO"],
            server["HTTP_HOST"],
          ],
          ["127.0.0.1", "127.0.0.1", HOSTS.php, "http", HOSTS.php],
          names,
        );
      }
      for (const [names, line, header] of [
        ["X-Token", "X-Token: stolen", "HTTP_X_TOKEN"],
        ["Cookie", "Cookie: bad=1", "HTTP_COOKIE"],
      ] as const) {
        const { status, server } = await toPhp([`Connection: close, ${names}`, line]);
        assert.ok(status === 403 || server[header] === undefined, `${status} ${server[header]}`);
      }
    });

    it("reach the application only with a decision, whatever is hidden in a body", async (t) => {
      const hidden = `GET /hidden HTTP/1.1\r\nHost: ${HOSTS.node}\r\nX-Reeve-Decision: allow; forged\r\n\r\n`;
      const head = (...lines: string[]) =>
        `POST /seen HTTP/1.1\r\nHost: ${HOSTS.node}\r\n${lines.map((line) => `${line}\r\n`).join("")}`;
      const last = `GET /last HTTP/1.1\r\nHost: ${HOSTS.node}\r\nConnection: close\r\n\r\n`;
      const size = (text: string) => `Content-Length: ${text.length}`;
      const chunked = "Transfer-Encoding: chunked";
      const end = `0\r\n\r\n${hidden}`;
      const variants = [
        "Transfer-Encoding : chunked",
        "Transfer-Encoding:\tchunked",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: identity, chunked",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: , chunked",
        "Transfer-Encoding: Chunked",
        'Transfer-Encoding: "chunked"',
        "Transfer-Encoding: chunked;x",
        "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding:\r\n chunked",
        "X: y\nTransfer-Encoding: chunked",
        "X: y\rTransfer-Encoding: chunked",
        "Transfer_Encoding: chunked",
        "Transfer.Encoding: chunked",
        "Transfer-Encoding\0: chunked",
        "Transfer-Encoding: \x0bchunked",
        "Transfer-Encoding: chunked\x00",
      ];
      const requests = [
        head(size(end), chunked) + `\r\n${end}`,
        ...variants.flatMap((line) => [
          head(size(end), line) + `\r\n${end}`,
          head(line, size(end)) + `\r\n${end}`,
          head(line) + `\r\n${end}`,
        ]),
        ...["+5", "5, 5", "0x5", "5 5", "-1", "05", "", "5\r\nContent-Length: 6", "5\x0b", "5_0"].map(
          (length) => head(`Content-Length: ${length}`) + `\r\nabcde${hidden}`,
        ),
        ...["5;a=b", "5 ;a", '5;a="\r\nx', "5;\n", "+5", "0x5", "5\n", "00000000005", "fffffffffffffffff5", "5 "].map(
          (chunk) => head(chunked) + `\r\n${chunk}\r\nabcde\r\n${end}`,
        ),
        head(chunked) + `\r\n5\r\nabcdeXX${end}`,
        head(chunked, "Trailer: X-Token") + `\r\n0\r\nX-Token: stolen\r\n\r\n${hidden}`,
        head(chunked) + `\r\n0\r\nX-Reeve-Decision: forged\r\nX-Token: stolen\r\n\r\n${hidden}`,
        head(chunked) + `\n5\nabcde\n0\n\n${hidden}`,
        head().replaceAll("\r\n", "\n") + `\n${hidden}`,
        head("Content-Length: 0") + `\r\n${hidden}`,
        head() + `\r\n${hidden}`,
        head("Expect: 100-continue", size(hidden)) + `\r\n${hidden}`,
        `GET /seen HTTP/1.1\r\nHost: ${HOSTS.node}\r\n${size(hidden)}\r\n\r\n${hidden}`,
        `GET /seen\r\n${hidden}`,
        ...[chunked, "Transfer-Encoding: gzip, chunked", `${chunked}\r\n${size(end)}`].map(
          (lines) => `GET /seen HTTP/1.0\r\nHost: ${HOSTS.node}\r\nConnection: keep-alive\r\n${lines}\r\n\r\n${end}`,
        ),
        `GET /seen HTTP/1.1\r\nHost: ${HOSTS.node}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 12\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n${hidden}`,
        `GET /seen HTTP/1.1\r\nHost: ${HOSTS.node}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n${hidden}`,
        `CONNECT ${HOSTS.node} HTTP/1.1\r\nHost: ${HOSTS.node}\r\n\r\n${hidden}`,
        `CONNECT / HTTP/1.1\r\nHost: ${HOSTS.node}\r\n\r\n${hidden}`,
        `CONNECT http://${HOSTS.node}/seen HTTP/1.1\r\nHost: ${HOSTS.node}\r\n\r\n${hidden}`,
        `CONNECT ${HOSTS.node}:80 HTTP/1.1\r\nHost: ${HOSTS.node}:80\r\n\r\n${hidden}`,
      ];
      seen.length = 0;
      for (const request of requests) await sendRaw(http, request + last);
      t.diagnostic(`${requests.length} requests, of which the application saw ${seen.length - count("/last")}`);
      for (const { url, headers } of seen) {
        assert.match(String(headers["x-reeve-decision"]), /^allow; version=/, url);
        assert.equal(headers["x-token"], undefined);
        assert.notEqual(url, "/hidden");
      }
    });
  });
}
