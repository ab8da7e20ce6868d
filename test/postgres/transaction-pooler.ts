// A minimal pooler that gives each transaction the session that has been idle for longest, and does not support prepared
// statements: like PgBouncer before 1.21 with pool_mode = transaction.
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { after } from "node:test";
import pg from "pg";

/** AuthenticationOk and ReadyForQuery. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
const [QUERY, SYNC, READY, IDLE] = [0x51, 0x53, 0x5a, 0x49];

/** Calls `see` for each received message. */
function createMessageReader(see: (message: Buffer) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 5 && rest.length >= 1 + rest.readInt32BE(1)) {
      const length = 1 + rest.readInt32BE(1);
      see(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
}

/** Listens in front of a server until the file's tests are done, and returns its URL. */
export async function startTransactionPooler(serverUrl: string): Promise<string> {
  const idle: Socket[] = [];
  const sessions: pg.Client[] = [];

  async function openSession(): Promise<Socket> {
    const client = new pg.Client({ connectionString: serverUrl });
    client.on("error", () => undefined);
    await client.connect();
    sessions.push(client);
    const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
    return stream.removeAllListeners("data");
  }

  function serve(client: Socket): void {
    let session: Promise<Socket> | undefined;
    let unanswered = 0;

    async function takeSession(): Promise<Socket> {
      const taken = idle.shift() ?? (await openSession());
      const read = createMessageReader((message) => {
        client.write(message);
        if (message[0] !== READY || --unanswered > 0 || message[5] !== IDLE) return;
        session = undefined;
        taken.removeAllListeners("data");
        idle.push(taken);
      });
      return taken.on("data", read);
    }

    const readMessages = createMessageReader((message) => {
      if (message[0] === QUERY || message[0] === SYNC) unanswered++;
      const copy = Buffer.from(message);
      // A client's Terminate message ends its connection to the pooler only.
      if (message[0] === 0x58) client.end();
      else void (session ??= takeSession()).then((taken) => taken.write(copy));
    });
    client.on("error", () => undefined);
    client.once("data", () => {
      client.write(WELCOME);
      client.on("data", readMessages);
    });
  }

  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => {
    server.close();
    for (const { connection } of sessions as unknown as { connection: { stream: Socket } }[])
      connection.stream.destroy();
  });
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return url.href;
}
