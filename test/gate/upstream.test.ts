// The application behind proxy mode: connections that it closes, responses before the end of a request, and what comes before a response.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as sendRequest } from "node:http";
import type { IncomingMessage, RequestListener } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import { after, test } from "node:test";
import { freePort } from "../harness/free-port.ts";
import { waitFor } from "../harness/wait-for.ts";
import { echo, listenOn, sendTo, startGateWorld } from "./gate-world.ts";
import { nginxWith, run } from "./programs/run-program.ts";

const world = await startGateWorld();
const { team } = world;
const project = await world.newProject({ firewallEnabled: true, rules: [] });
const hosts = [{ host: "*", team: team.slug, project }];
const inFrontOf = async (upstream: string) => (await world.startGate({ hosts, upstream })).url;

/** An application by hand: gets the first line of each request, and its number on its connection. */
async function startByHand(answer: (socket: Socket, line: string, number: number) => void) {
  const lines: string[] = [];
  const server = createTcpServer((socket) => {
    let number = 0;
    socket.on("error", () => undefined);
    socket.on("data", (data: Buffer) => {
      const [line] = /^[A-Z]+ \S+ HTTP/.exec(data.toString("latin1")) ?? [];
      if (line === undefined) return;
      lines.push(line);
      answer(socket, line, ++number);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lines };
}

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const HEAD_ONLY = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";
const CLOSINGS: Readonly<Record<string, (socket: Socket) => void>> = {
  "an end": (socket) => socket.destroy(),
  "a reset": (socket) => socket.resetAndDestroy(),
};

for (const [name, close] of Object.entries(CLOSINGS)) {
  test(`a kept connection that the application closes by ${name} as a request arrives costs none that may be repeated`, async () => {
    const { url, lines } = await startByHand((socket, line, number) => {
      if (number > 1) close(socket);
      else socket.write(line.startsWith("HEAD") ? HEAD_ONLY : OK);
    });
    const gate = await inFrontOf(url);
    for (const [method, body, status] of [
      ["GET", "", 200],
      ["HEAD", "", 200],
      ["OPTIONS", "", 200],
      ["DELETE", "", 200],
      ["PUT", "", 200],
      ["PROPFIND", "", 200],
      ["REPORT", "", 200],
      ["SEARCH", "", 200],
      ["QUERY", "", 200],
      ["LOCK", "", 502],
      ["POST", "", 502],
      ["PATCH", "", 502],
      ["POST", "a=b", 502],
      ["PUT", "a=b", 502],
      ["DELETE", "a=b", 502],
    ] as const) {
      assert.equal((await sendTo(gate, "/first")).status, 200);
      const before = lines.length;
      const answer = await sendTo(gate, "/second", { method, body });
      assert.deepEqual([method, body, answer.status], [method, body, status]);
      const sent = lines.slice(before).map((line) => line.split(" ", 1)[0]);
      assert.deepEqual(sent, status === 200 ? [method, method] : [method]);
    }
  });

  test(`a request is repeated once, and never on a new connection, when ${name} is all that comes`, async () => {
    const { url, lines } = await startByHand((socket, line) => {
      if (line.includes("/close")) close(socket);
      else socket.write(OK);
    });
    const gate = await inFrontOf(url);
    assert.equal((await sendTo(gate, "/close")).status, 502);
    assert.equal(lines.length, 1);
    assert.equal((await sendTo(gate, "/first")).status, 200);
    assert.equal((await sendTo(gate, "/close")).status, 502);
    assert.equal(lines.length, 4);
  });
}

test("a request of which a part of the response has come is not repeated", async () => {
  for (const part of ["H", "HTTP/1.1 2", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"]) {
    const { url, lines } = await startByHand((socket, _line, number) => {
      if (number > 1) socket.end(part);
      else socket.write(OK);
    });
    const gate = await inFrontOf(url);
    assert.equal((await sendTo(gate, "/")).status, 200);
    assert.equal((await sendTo(gate, "/")).status, 502);
    assert.equal(lines.length, 2, part);
  }
});

test("an application that closes its idle connections at any time loses no request", async () => {
  const { server, url } = await listenOn(echo);
  const gate = await inFrontOf(url);
  for (let at = 0; at < 100; at++) {
    const sent = sendTo(gate, "/");
    server.closeIdleConnections();
    assert.equal((await sent).status, 200);
    if (at % 2 === 0) setImmediate(() => server.closeIdleConnections());
  }
});

const MEGABYTES = 16;

/** Sends a large body without listening to the response before the end, as many clients do. Returns the bytes that came. */
async function upload(url: string, ...lines: string[]): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  after(() => socket.destroy());
  let got = "";
  let ended = false;
  socket.on("error", () => (ended = true));
  socket.on("close", () => (ended = true));
  socket.on("data", (data: Buffer) => (got += data.toString("latin1")));
  const head = ["POST /upload HTTP/1.1", "Host: shop.test", `Content-Length: ${MEGABYTES * 1_048_576}`, ...lines];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  const body = Readable.from(Array.from({ length: MEGABYTES }, () => Buffer.alloc(1_048_576, "x")));
  body.pipe(socket, { end: false });
  await waitFor("a response", () => /\r\n\r\n[^]/.test(got) || ended);
  socket.destroy();
  return got;
}

const TOO_LARGE =
  "HTTP/1.1 413 Content Too Large\r\nX-Of: app\r\nContent-Length: 9\r\nConnection: close\r\n\r\ntoo large";

/** Applications that answer at the head of a request, and do not read its body. */
async function startEarly(): Promise<Readonly<Record<string, string>>> {
  const byHand = (end: (socket: Socket) => void, response = TOO_LARGE) =>
    startByHand((socket) => {
      socket.pause();
      socket.write(response, () => end(socket));
    });
  const listener: RequestListener = (message, res) => {
    res.writeHead(413, { "x-of": "app", connection: "close" });
    res.end("too large", () => message.socket.destroy());
  };
  const folder = world.newFolder();
  const port = await freePort();
  const site = `server { listen 127.0.0.1:${port}; client_max_body_size 1k; add_header X-Of app always; lingering_close off;
    location / { proxy_pass http://127.0.0.1:1; } }`;
  run("nginx", nginxWith(folder, site));
  const nginx = `http://127.0.0.1:${port}`;
  await waitFor("nginx", async () => (await sendTo(nginx, "/").catch(() => undefined)) !== undefined);
  return {
    "an application that resets": (await byHand((socket) => socket.resetAndDestroy())).url,
    "an application that closes": (await byHand((socket) => socket.destroy())).url,
    "an application that says no length": (
      await byHand((socket) => socket.resetAndDestroy(), TOO_LARGE.replace(/Content-Length.*\r\n/, ""))
    ).url,
    "an application that goes on": (await byHand(() => undefined)).url,
    "node:http": (await listenOn(listener)).url,
    nginx,
  };
}

for (const [name, upstream] of Object.entries(await startEarly())) {
  test(`an early response of ${name} reaches a client that is still sending`, async () => {
    const gate = await inFrontOf(upstream);
    for (const lines of [[], ["Connection: close"], ["Expect: 100-continue"]]) {
      for (let at = 0; at < 5; at++) {
        const got = (await upload(gate, ...lines)).replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, "");
        assert.match(got, /^HTTP\/1\.1 413 [^]*x-of: app\r\n/i, `${lines.join()}: ${got.slice(0, 200)}`);
      }
    }
    const { text } = await sendTo(gate, "/.well-known/reeve/metrics");
    assert.match(text, /reeve_gate_upstream_failures_total 0\n/);
  });
}

test("a connection that the client wants closed is closed behind its body", async () => {
  const { url } = await listenOn((_message, res) => void res.writeHead(413).end("too large"));
  const socket = connect(Number(new URL(await inFrontOf(url)).port), "127.0.0.1");
  after(() => socket.destroy());
  socket.write("POST / HTTP/1.1\r\nHost: shop.test\r\nConnection: close\r\nContent-Length: 4\r\n\r\nab");
  const [data] = (await once(socket, "data")) as [Buffer];
  assert.match(data.toString(), /^HTTP\/1\.1 413 /);
  socket.resume();
  socket.write("cd");
  await once(socket, "end");
});

test("what the application says before its response is passed on, and a client that expects to go on does", async () => {
  const application = createServer((message, res) => {
    res.writeProcessing();
    res.writeEarlyHints({ link: "</style.css>; rel=preload", "x-hint": "1" }, () => echo(message, res));
  });
  application.listen(0, "127.0.0.1");
  await once(application, "listening");
  after(() => application.close());
  const gate = await inFrontOf(`http://127.0.0.1:${(application.address() as AddressInfo).port}`);
  const said: unknown[] = [];
  const request = sendRequest(gate, { method: "POST", agent: false, headers: { expect: "100-continue" } });
  request.on("information", ({ statusCode, headers }) => said.push([statusCode, headers["link"], headers["x-hint"]]));
  request.on("continue", () => request.end("body"));
  request.flushHeaders();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  const seen = JSON.parse(text) as { body: string; headers: Record<string, string> };
  assert.deepEqual([response.statusCode, seen.body, seen.headers["expect"]], [200, "body", undefined]);
  assert.deepEqual(said, [
    [100, undefined, undefined],
    [102, undefined, undefined],
    [103, "</style.css>; rel=preload", "1"],
  ]);
});

test("hints that cannot be written are left out", async () => {
  const { url } = await startByHand((socket) => socket.write(`HTTP/1.1 103 Early Hints\r\nLink: no link\r\n\r\n${OK}`));
  assert.equal((await sendTo(await inFrontOf(url), "/")).status, 200);
});

test("the response to HEAD has the headers of the body and none", async () => {
  const { url } = await listenOn((_message, res) => void res.writeHead(200, { "content-length": 5 }).end("hello"));
  const { status, headers, text } = await sendTo(await inFrontOf(url), "/", { method: "HEAD" });
  assert.deepEqual([status, headers["content-length"], text], [200, "5", ""]);
});
