// Reads the bodies of requests into memory, which counts their bytes as they arrive.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyContentTypeParser, FastifyRequest } from "fastify";
import { accountableOf } from "../../kernel/caller.ts";
import { subscriberOf } from "../../kernel/network/network.ts";
import type { Admission } from "../limits/admission.ts";
import type { ConnectionsOfServer } from "../limits/connection-limits.ts";
import { createLargeWork } from "./large-work.ts";
import { bodyTooLarge } from "../responses/error-response.ts";
import { onceClosed } from "../responses/response-end.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The response, whose end releases the memory of the body. */
    response: ServerResponse;
    /** Counts the size of a body that its head does not tell towards the rate limit. Null: the head told, or there is no limit. */
    weighBody: ((bytes: number) => void) | null;
  }
}

/** Whose memory a body takes. */
function clientOf({ caller, ip }: FastifyRequest): string {
  return caller ? accountableOf(caller) : subscriberOf(ip);
}

/** What a chunk takes beside its bytes: a client may send them one by one. */
const CHUNK_BYTES = 256;

type Limits = Pick<Admission, "bodies"> & Pick<ConnectionsOfServer, "recordReceived">;

function collect(
  { bodies, recordReceived }: Limits,
  request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, bytes?: Buffer) => void,
): void {
  const { bodyLimit } = request.routeOptions;
  if (Number(request.headers["content-length"]) > bodyLimit) return done(bodyTooLarge(bodyLimit));
  const chunks: Buffer[] = [];
  let length = 0;
  const body = bodies.open(request.response, clientOf(request), finish);

  function finish(error: Error | null): void {
    payload.off("data", add).off("end", end).off("error", finish);
    body.complete();
    done(error, error ? undefined : Buffer.concat(chunks, length));
  }
  function add(chunk: Buffer): void {
    length += chunk.length;
    if (length > bodyLimit) return finish(bodyTooLarge(bodyLimit));
    chunks.push(chunk);
    recordReceived(payload);
    body.add(chunk.length + CHUNK_BYTES);
  }
  function end(): void {
    finish(null);
  }
  payload.on("data", add).on("end", end).on("error", finish).resume();
}

/** Makes parsers of bodies, of a function that parses all bytes of one. */
export type CreateBodyParser = (parse: (bytes: Buffer, request: FastifyRequest) => unknown) => FastifyContentTypeParser;

/** Smaller bodies are parsed at once. */
const LARGE_BYTES = 8_192;

export function createBodyReader(limits: Limits): CreateBodyParser {
  const enqueue = createLargeWork();
  return (parse) => (request, payload, done) => {
    function parseAll(bytes: Buffer): void {
      try {
        request.weighBody?.(bytes.length);
        done(null, parse(bytes, request));
      } catch (error) {
        done(error as Error);
      }
    }
    collect(limits, request, payload, (error, bytes = Buffer.alloc(0)) => {
      if (error) done(error);
      else if (bytes.length < LARGE_BYTES) parseAll(bytes);
      // The memory of a body counts until its response is closed.
      else
        onceClosed(
          request.response,
          enqueue(clientOf(request), () => parseAll(bytes)),
        );
    });
  };
}
