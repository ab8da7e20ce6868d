// What never became a request: bytes that are no HTTP, headers without end, and clients that are too slow. They are
// answered in the envelope that every refusal has, and the connection is closed.
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "../kernel/errors.ts";
import { renderError } from "./responses/error-response.ts";
import { isEnding } from "./requests/request-head.ts";

function refusalOf(code: string | undefined): ApiError {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new ApiError("request_timeout", "The request did not arrive in time; send it again, faster");
  }
  if (code === "HPE_HEADER_OVERFLOW") {
    return new ApiError("headers_too_large", "Headers: expected at most 16 KiB and 1000 lines in all");
  }
  return new ApiError("bad_request", "Expected an HTTP/1.1 request");
}

/** An answer to what is no request, which ends its connection, as bytes. */
export function renderRaw(refusal: ApiError): string {
  const { status, contentType, body } = renderError(refusal, { requestId: "", accept: undefined, docsUrl: "" });
  const retry = status === 503 ? "Retry-After: 1\r\n" : "";
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${contentType}\r\nCache-Control: no-store\r\n${retry}` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  );
}

export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (isEnding(socket) && error.code === "HPE_INVALID_TRANSFER_ENCODING") return;
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(renderRaw(refusalOf(error.code)), () => socket.destroy());
}
