// The memory of request bodies, counted as they arrive: all together, and for each client. A client is the account that
// answers for the credential, or the address of a request without one.
import type { ServerResponse } from "node:http";
import { ApiError } from "../../kernel/errors.ts";
import { onceClosed } from "../responses/response-end.ts";

/** Maximum size of all bodies in memory, and of those of one client. */
const BODY_MEMORY_LIMITS = { all: 134_217_728, each: 33_554_432 };

const MIB = 1_048_576;
const RETRY_S = 1;

export interface IncomingBody {
  /** Counts bytes that have arrived. They are released when the response is closed. */
  add(bytes: number): void;
  /** The body is complete, and can no longer be refused. */
  complete(): void;
}

export interface BodyMemory {
  /** `refuse` is called when the body may not go on; its bytes no longer count then. */
  open(response: ServerResponse, client: string, refuse: (error: Error) => void): IncomingBody;
}

interface Client {
  readonly name: string;
  bytes: number;
  bodies: number;
}

interface Body {
  readonly client: Client;
  readonly refuse: (error: Error) => void;
  bytes: number;
}

/** `note` counts a body that was refused. */
export function createBodyMemory(note: () => void, limits = BODY_MEMORY_LIMITS): BodyMemory {
  const clients = new Map<string, Client>();
  /** Those that are not complete, the oldest first. */
  const arriving = new Set<Body>();
  let bytesInAll = 0;

  function count(body: Body, bytes: number): void {
    body.bytes += bytes;
    body.client.bytes += bytes;
    bytesInAll += bytes;
  }

  function release(body: Body): void {
    arriving.delete(body);
    count(body, -body.bytes);
  }

  function refuse(body: Body, problem: string): void {
    note();
    release(body);
    body.refuse(new ApiError("overloaded", `${problem}; try again in ${RETRY_S} s`, { retryAfter: RETRY_S }));
  }

  /** The oldest body of the client with the most bytes, of those that are not complete. */
  function findLargest(): Body | undefined {
    let largest: Body | undefined;
    for (const body of arriving) if (!largest || body.client.bytes > largest.client.bytes) largest = body;
    return largest;
  }

  function enter(name: string): Client {
    const client = clients.get(name) ?? { name, bytes: 0, bodies: 0 };
    clients.set(name, client);
    client.bodies++;
    return client;
  }

  function leave(client: Client): void {
    if (--client.bodies === 0) clients.delete(client.name);
  }

  return {
    open(response, name, refuseBody) {
      const client = enter(name);
      const body: Body = { client, refuse: refuseBody, bytes: 0 };
      arriving.add(body);
      onceClosed(response, () => {
        release(body);
        leave(client);
      });
      return {
        add(bytes) {
          // A body that was refused may still arrive, to be discarded.
          if (!arriving.has(body)) return;
          count(body, bytes);
          if (client.bytes > limits.each) {
            refuse(body, `body: bodies of one client may take ${limits.each / MIB} MiB together while they arrive`);
          } else if (bytesInAll > limits.all)
            refuse(findLargest() ?? body, "body: the server has too many bodies to read");
        },
        complete: () => arriving.delete(body),
      };
    },
  };
}
