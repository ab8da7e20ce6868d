// Which connections give way to new ones: those of who has the most, and those that only wait for their client.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { listen } from "../../../../test/http/raw-connection.ts";
import { openTestApp } from "../../../../test/harness/test-app.ts";
import { waitFor } from "../../../../test/harness/wait-for.ts";

const MAX = 12;
const REQUEST = "GET /health/live HTTP/1.1\r\nHost: x\r\n";
const FORM =
  "POST /v1/identity/exchange HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n";

interface Client {
  readonly socket: Socket;
  received: string;
}

async function start(t: TestContext, trustedProxies?: string) {
  const { app, remove } = await openTestApp({
    maxConnections: String(MAX),
    ...(trustedProxies === undefined ? {} : { trustedProxies }),
  });
  const port = await listen(app);
  const clients: Client[] = [];
  t.after(async () => {
    for (const { socket } of clients) socket.destroy();
    await remove();
  });

  async function open(localAddress: string): Promise<Client> {
    const client: Client = { socket: connect({ port, host: "127.0.0.1", localAddress }), received: "" };
    clients.push(client);
    client.socket.on("error", () => undefined);
    client.socket.setEncoding("utf8").on("data", (text: string) => (client.received += text));
    await once(client.socket, "connect");
    return client;
  }

  /** Sends a request and waits for its response. */
  async function ask(client: Client, headers = ""): Promise<void> {
    const from = client.received.length;
    client.socket.write(`${REQUEST}${headers}\r\n`);
    await waitFor("a response", () => client.received.length > from || client.socket.destroyed);
    assert.match(client.received.slice(from), /^HTTP\/1\.1 200 /);
  }

  /** Sends a form that does not end, and returns when the server has its head. */
  async function beginForm(client: Client, headers = ""): Promise<void> {
    const from = client.received.length;
    client.socket.write(`${FORM}Expect: 100-continue\r\n${headers}\r\n`);
    await waitFor("the server to ask for the body", () => client.received.slice(from).startsWith("HTTP/1.1 100"));
    client.socket.write("half");
  }

  return { open, ask, beginForm };
}

const areOpen = (of: readonly Client[]) => of.map(({ socket }) => !socket.destroyed && !socket.readableEnded);

test("forms that do not end give way to new connections, and are told", async (t) => {
  const { open, ask, beginForm } = await start(t);
  const forms: Client[] = [];
  for (let n = 0; n < MAX; n++) {
    const client = await open("127.0.0.1");
    await beginForm(client);
    forms.push(client);
  }
  await ask(await open("127.0.0.1"));
  await ask(await open("127.0.0.2"));
  await waitFor("the oldest to be closed", () => forms[0]?.socket.destroyed && forms[1]?.socket.destroyed);
  assert.deepEqual(areOpen(forms), [false, false, ...Array<boolean>(MAX - 2).fill(true)]);
  assert.match(forms[0]?.received ?? "", /HTTP\/1\.1 503 [^]*REEVE_MAX_CONNECTIONS/);
});

test("a client with more than a quarter of the connections gives way first, and then only to itself", async (t) => {
  const { open, ask } = await start(t);
  const quiet = await open("127.0.0.2");
  await ask(quiet);
  const many: Client[] = [];
  for (let n = 0; n < MAX + 5; n++) {
    const client = await open("127.0.0.1");
    await ask(client);
    many.push(client);
  }
  assert.deepEqual(areOpen([quiet]), [true], "the others' oldest connection stays");
  const newcomer = await open("127.0.0.3");
  await ask(newcomer);
  await waitFor("one more of them to be closed", () => areOpen(many).filter(Boolean).length === MAX - 2);
  assert.deepEqual(areOpen([quiet, newcomer]), [true, true]);
});

test("behind a trusted proxy a request counts for the client that the proxy names, an IPv6 client by its /64", async (t) => {
  const { open, ask, beginForm } = await start(t, "127.0.0.9");
  const forms: Client[] = [];
  const quiet = await open("127.0.0.9");
  await beginForm(quiet, "X-Forwarded-For: 2001:db8:1::1\r\n");
  for (let n = 1; n < MAX; n++) {
    const client = await open("127.0.0.9");
    await beginForm(client, `X-Forwarded-For: 2001:db8:2::${n}\r\n`);
    forms.push(client);
  }
  await ask(await open("127.0.0.9"), "X-Forwarded-For: 2001:db8:1::1\r\n");
  await waitFor("one of many to be closed", () => forms[0]?.socket.destroyed);
  assert.deepEqual(areOpen([quiet, ...forms]), [true, false, ...Array<boolean>(MAX - 2).fill(true)]);
});
