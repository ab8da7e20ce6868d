// Requests that are on their way to the application: which failures end them, and which are repeated once.
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { hasBody } from "../requests/peek-body.ts";

/** RFC 9110, 9.2.2, and safe methods of IANA's registry. */
const IDEMPOTENT = new Set("GET HEAD OPTIONS TRACE PUT DELETE PROPFIND REPORT SEARCH QUERY".split(" "));
/** The other side has closed the connection. */
const CLOSED = new Set(["ECONNRESET", "EPIPE"]);

function isClosed(error: NodeJS.ErrnoException | null | undefined): boolean {
  return CLOSED.has(error?.code ?? "");
}

interface Attempt {
  readonly sent: ClientRequest;
  readonly socket: Socket;
  /** Bytes that the connection had brought before. */
  readonly bytesRead: number;
  response?: IncomingMessage;
}

const readOn = new WeakSet<Socket>();

/**
 * A write that fails does not end reading: the application may have answered before it closed the connection, and what it said is still
 * to be read. Reading tells of the end, too.
 */
function keepReading(socket: Socket): void {
  if (readOn.has(socket)) return;
  readOn.add(socket);
  for (const method of ["_write", "_writev"] as const) {
    const write = socket[method] as (...given: unknown[]) => void;
    socket[method] = (...given: unknown[]) => {
      const done = given.pop() as (error?: Error | null) => void;
      write.call(socket, ...given, (error?: Error | null) => done(isClosed(error) ? null : error));
    };
  }
}

export interface Attempts {
  /** A request has got its connection. */
  begin(message: IncomingMessage, sent: ClientRequest): void;
  answered(message: IncomingMessage, response: IncomingMessage): void;
  /** Whether the whole response is there, so that a failure behind it is none. */
  hasResponse(message: IncomingMessage): boolean;
  /**
   * Whether the application had closed a kept connection when the request arrived. Only then, before any byte of a response, a request
   * that changes nothing more the second time may be sent again. A new connection is never stale.
   */
  isRepeatable(message: IncomingMessage, error: Error): boolean;
}

export function createAttempts(): Attempts {
  const attempts = new WeakMap<IncomingMessage, Attempt>();
  return {
    begin(message, sent) {
      const socket = sent.socket as Socket;
      keepReading(socket);
      attempts.set(message, { sent, socket, bytesRead: socket.bytesRead });
      // An application that takes too long has got the request.
      sent.once("timeout", () => attempts.delete(message));
    },
    answered(message, response) {
      const attempt = attempts.get(message);
      if (attempt) attempt.response = response;
    },
    hasResponse: (message) => attempts.get(message)?.response?.complete === true,
    isRepeatable(message, error) {
      const attempt = attempts.get(message);
      if (!attempt || !attempt.sent.reusedSocket || !isClosed(error)) return false;
      const isIdempotent = IDEMPOTENT.has(message.method ?? "") && !hasBody(message);
      return isIdempotent && attempt.socket.bytesRead === attempt.bytesRead;
    },
  };
}
