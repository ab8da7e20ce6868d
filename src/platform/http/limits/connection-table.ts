// The open connections of a server by client, and which of them is closed for a new one: of those that wait for their client, the one whose
// client has sent or read nothing for longest. A client is an IPv4 address or an IPv6 /64; behind a trusted proxy it is known with each
// request.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** While others wait, no client holds more than this share of all connections. */
const SHARE = 1 / 4;

/** What the operating system has taken of the bytes that were written to a connection. Node tells only when it has taken all of a write. */
function countSent(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}

/** Whether the rest of a response waits for its client to read. */
function isUnread(response: ServerResponse): boolean {
  return response.writableEnded || response.writableNeedDrain;
}

class Connection {
  readonly socket: Socket;
  /** Whether a trusted proxy opened it: its requests name their clients. */
  readonly isProxied: boolean;
  client: string | null;
  /** Responses in flight, in the order in which they are sent. */
  readonly pending = new Set<ServerResponse>();
  #sentBytes = 0;

  constructor(socket: Socket, client: string | null) {
    this.socket = socket;
    this.client = client;
    this.isProxied = client === null;
  }

  /** Whether only its client is waited for: for a request, the rest of a body, or to read a response. */
  get isWaiting(): boolean {
    const [first] = this.pending;
    return first === undefined || !first.req.complete || isUnread(first);
  }

  /** Whether its client has read more of a response since the last call. */
  recordRead(): boolean {
    const before = this.#sentBytes;
    this.#sentBytes = countSent(this.socket);
    const [first] = this.pending;
    return first !== undefined && isUnread(first) && this.#sentBytes !== before;
  }

  /** Whether a client that is told why can still read it. */
  get canRefuse(): boolean {
    const [first] = this.pending;
    return first !== undefined && !first.headersSent;
  }
}

/** Connections of one client, or of all, the least recently used first. */
class ConnectionGroup {
  readonly #connections = new Set<Connection>();

  get size(): number {
    return this.#connections.size;
  }

  /** Adds a connection as the most recently used. */
  add(connection: Connection): void {
    this.#connections.delete(connection);
    this.#connections.add(connection);
  }

  delete(connection: Connection): void {
    this.#connections.delete(connection);
  }

  /** The least recently used connection that waits for its client. `renew` is called for those that turn out to be in use. */
  findLeastUseful(renew: (connection: Connection) => void): Connection | undefined {
    let left = this.size;
    let first: Connection | undefined;
    for (const connection of this.#connections) {
      if (connection.isWaiting) {
        if (!connection.recordRead()) return connection;
        first ??= connection;
      }
      if (--left === 0) break;
      // The next search does not meet it again before the others.
      renew(connection);
    }
    return first;
  }
}

export interface ConnectionTableOptions {
  readonly max: number;
  /** The response to a client whose connection is closed before its request was complete, as bytes. */
  refusal(): string;
}

export class ConnectionTable {
  readonly #options: ConnectionTableOptions;
  readonly #share: number;
  readonly #connections = new Map<Socket, Connection>();
  readonly #all = new ConnectionGroup();
  readonly #clients = new Map<string, ConnectionGroup>();
  /** Those of the clients that have more than their share. */
  readonly #large = new Set<ConnectionGroup>();

  constructor(options: ConnectionTableOptions) {
    this.#options = options;
    this.#share = Math.max(1, Math.floor(options.max * SHARE));
  }

  sockets(): Socket[] {
    return [...this.#connections.keys()];
  }

  /** Adds a connection; false: there is no place for it. `client` is null for a trusted proxy. */
  add(socket: Socket, client: string | null): boolean {
    if (this.#connections.size >= this.#options.max && !this.#makeRoom(client)) return false;
    const connection = new Connection(socket, client);
    this.#connections.set(socket, connection);
    this.#place(connection);
    socket.once("close", () => this.#forget(connection));
    return true;
  }

  get isFull(): boolean {
    return this.#connections.size >= this.#options.max;
  }

  /** Notes a request. Returns how many are in flight on its connection. */
  enter({ socket }: IncomingMessage, response: ServerResponse): number {
    const connection = this.#connections.get(socket);
    if (!connection) return 1;
    connection.pending.add(response);
    this.#place(connection);
    response.on("close", () => {
      connection.pending.delete(response);
      if (!this.#connections.has(socket)) return;
      if (connection.isProxied && connection.pending.size === 0) this.#leaveClient(connection);
      this.#place(connection);
    });
    return connection.pending.size;
  }

  /** Counts the connection of a trusted proxy for the client whose request it carries. */
  assign(socket: Socket, client: string): void {
    const connection = this.#connections.get(socket);
    if (!connection?.isProxied || connection.client === client) return;
    this.#leaveClient(connection);
    connection.client = client;
    this.#place(connection);
  }

  /** Notes that a part of a body has arrived. */
  recordReceived(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection) this.#place(connection);
  }

  /** Tells clients to send no further request on their connections. */
  closeAfterResponses(): void {
    for (const { pending } of this.#connections.values()) {
      const latest = [...pending].at(-1);
      if (latest && !latest.headersSent) latest.setHeader("connection", "close");
    }
  }

  /** Places a connection as the most recently used. */
  #place(connection: Connection): void {
    connection.recordRead();
    this.#all.add(connection);
    if (connection.client === null) return;
    const group = this.#clients.get(connection.client) ?? new ConnectionGroup();
    this.#clients.set(connection.client, group);
    group.add(connection);
    if (group.size > this.#share) this.#large.add(group);
  }

  #leaveClient(connection: Connection): void {
    const group = connection.client === null ? undefined : this.#clients.get(connection.client);
    if (!group) return;
    group.delete(connection);
    if (group.size === 0) this.#clients.delete(connection.client as string);
    if (group.size <= this.#share) this.#large.delete(group);
    connection.client = null;
  }

  #forget(connection: Connection): void {
    if (!this.#connections.delete(connection.socket)) return;
    this.#leaveClient(connection);
    this.#all.delete(connection);
  }

  /** Closes a connection for a new one of `client`: its own if it has its share, else one of whom has more, else any. */
  #makeRoom(client: string | null): boolean {
    const own = client === null ? undefined : this.#clients.get(client);
    const groups =
      own && own.size >= this.#share ? [own] : [...[...this.#large].toSorted((a, b) => b.size - a.size), this.#all];
    for (const group of groups) {
      const connection = group.findLeastUseful((used) => this.#place(used));
      if (!connection) continue;
      const { socket, canRefuse } = connection;
      this.#forget(connection);
      if (canRefuse) socket.end(this.#options.refusal(), () => socket.destroy());
      else socket.destroy();
      return true;
    }
    return false;
  }
}
