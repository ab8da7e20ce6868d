// Reads the body of a request without taking it: the code that handles the request afterwards reads it from its beginning.
import type { IncomingMessage } from "node:http";

/** `already_read`: somebody else has read it, or is about to. */
export type PeekedBody = Uint8Array | "too_large" | "already_read";

/** Unless its operator chooses another. */
export const BODY_LIMIT = 65_536;

const NONE = new Uint8Array(0);
const PLACEHOLDER = Buffer.alloc(1);

export function hasBody({ headers }: Pick<IncomingMessage, "headers">): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** For the code that handles the request nothing was read: what makes a web-standard Request of a stream asks that (`Readable.isDisturbed`). */
function seemUnread(message: IncomingMessage): void {
  const { _readableState: state } = message as unknown as { readonly _readableState: { dataEmitted: boolean } };
  state.dataEmitted = false;
}

/** Streams that hold a byte of ours, so that they do not end before the code that handles the request listens. */
const held = new WeakSet<IncomingMessage>();

/** Call it right before the code that handles the request gets it. */
export function releaseBody(message: IncomingMessage): void {
  // Reading as many bytes as there are does not end the stream yet.
  if (!held.delete(message)) return;
  message.read(1);
  seemUnread(message);
}

function isAlreadyRead(message: IncomingMessage & { readonly body?: unknown }): boolean {
  if (message.readableDidRead || message.readableFlowing === true || message.listenerCount("data") > 0) return true;
  const isSpent = message.complete && message.readableLength === 0;
  return isSpent && (Number(message.headers["content-length"] ?? 0) > 0 || message.body !== undefined);
}

/** At most so many bytes, of which it keeps as many in memory. Rejects when the client leaves before they are there. */
export async function peekBody(message: IncomingMessage, most: number): Promise<PeekedBody> {
  if (!hasBody(message)) return NONE;
  if (isAlreadyRead(message)) return "already_read";
  if (message.complete && message.readableLength === 0) return NONE;
  if (Number(message.headers["content-length"] ?? 0) > most) return "too_large";
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isShared = false;
  return await new Promise((resolve, reject) => {
    function end(settle: () => void): void {
      message.off("readable", read).off("error", fail).off("close", fail);
      settle();
    }
    function fail(): void {
      end(() => reject(new Error("the client has left")));
    }
    function read(): void {
      // By somebody else, who listens too.
      isShared ||= message.readableDidRead;
      for (let chunk = message.read() as Buffer | null; chunk !== null; chunk = message.read() as Buffer | null) {
        chunks.push(chunk);
        bytes += chunk.length;
      }
      seemUnread(message);
      if (!message.complete && bytes <= most) return;
      const body = Buffer.concat(chunks);
      // In the same turn as the last read: the stream has not ended for anybody then, even if nothing more comes.
      if (bytes > 0) message.unshift(body);
      else {
        message.unshift(PLACEHOLDER);
        held.add(message);
      }
      end(() => resolve(isShared ? "already_read" : bytes > most ? "too_large" : body));
    }
    message.on("readable", read).on("error", fail).on("close", fail);
  });
}

/** The same of a web-standard request. Reads a copy, of which the rest is given up. */
export async function peekFetchBody(request: Request, most: number): Promise<PeekedBody> {
  const { body, headers } = request;
  const length = Number(headers.get("content-length") ?? 0);
  // Servers make a Request of GET without the body that it may have.
  if (body === null) return length > 0 || headers.has("transfer-encoding") ? "already_read" : NONE;
  if (request.bodyUsed || body.locked) return "already_read";
  if (length > most) return "too_large";
  const reader = (request.clone().body as ReadableStream<Uint8Array>).getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    chunks.push(next.value);
    bytes += next.value.length;
    if (bytes <= most) continue;
    // A copy's cancelling settles with that of the request itself.
    void reader.cancel().catch(() => undefined);
    return "too_large";
  }
  return Buffer.concat(chunks);
}
