// How an outgoing request fails: the stage, and a message for the owner of the webhook.

/**
 * `refused`: by the rules of egress, before anything was sent. `dns`, `connect`, `tls`: before there was a connection, including
 * its time-out. `send`: while writing the request. `response`: while waiting for the response or reading its headers. `timeout`:
 * the request took too long in total. `stopped`: this process cut it off.
 */
export type ErrorStage = "refused" | "dns" | "connect" | "tls" | "send" | "response" | "timeout" | "stopped";

export interface EgressFailure {
  readonly stage: ErrorStage;
  readonly message: string;
}

/** Stages that reveal whether a name exists, and what it resolves to. */
export function isAboutAddress(stage: string): boolean {
  return stage === "refused" || stage === "dns";
}

/** It has no `code`, because undici retries errors with some codes by itself. */
export class EgressError extends Error {
  override readonly name = "EgressError";
  readonly stage: ErrorStage;

  constructor(stage: ErrorStage, message: string) {
    super(message);
    this.stage = stage;
  }
}

const MAX_MESSAGE_LENGTH = 1_000;

type CodedError = Error & { readonly code?: string };

function stageOf({ code = "" }: CodedError, isSent: boolean): ErrorStage {
  // A server may refuse our side of the handshake after it was finished here.
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_")) return "tls";
  return isSent ? "response" : "send";
}

function messageOf(error: CodedError): string {
  if (error.code === "UND_ERR_HEADERS_OVERFLOW") return "the headers of the response are too long";
  if (error.code === "UND_ERR_SOCKET") return `the connection was closed (${error.message})`;
  if (error.code === "ECONNRESET" || error.code === "EPIPE") return `the connection was closed (${error.code})`;
  return error.message;
}

/** Makes text that every database takes, since others write parts of it: names of a certificate, for example. */
function bound(message: string): string {
  return message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed().replaceAll("\0", "\uFFFD");
}

/** Describes why a request failed without a response. */
export function explainEgressFailure(error: CodedError, isSent: boolean): EgressFailure {
  if (error instanceof EgressError) return { stage: error.stage, message: bound(error.message) };
  return { stage: stageOf(error, isSent), message: bound(messageOf(error)) };
}
