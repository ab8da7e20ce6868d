// How an outgoing request fails: at which stage, and in words that its sender may read.

/**
 * `refused` by the rules of egress, before anything was sent; `dns`, `connect` and `tls` before there was a connection, time-outs
 * of that included; `send` while writing the request; `response` while waiting for the answer or reading its headers;
 * `timeout` when all together took too long; `stopped` by us.
 */
export type ErrorStage = "refused" | "dns" | "connect" | "tls" | "send" | "response" | "timeout" | "stopped";

export interface EgressFailure {
  readonly stage: ErrorStage;
  readonly message: string;
}

/** Stages at which it shows whether a name exists, and what it leads to. */
export function isAboutAddress(stage: string): boolean {
  return stage === "refused" || stage === "dns";
}

/** Has no `code`: undici tries some codes again by itself. */
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
  // A server may refuse our side of the handshake after we have finished it.
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_")) return "tls";
  return isSent ? "response" : "send";
}

function messageOf(error: CodedError): string {
  if (error.code === "UND_ERR_HEADERS_OVERFLOW") return "the headers of the answer are too long";
  if (error.code === "UND_ERR_SOCKET") return `the connection was closed (${error.message})`;
  if (error.code === "ECONNRESET" || error.code === "EPIPE") return `the connection was closed (${error.code})`;
  return error.message;
}

/** Text that every store takes, whoever wrote it: a certificate's names are in messages. */
function bound(message: string): string {
  return message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed().replaceAll("\0", "\uFFFD");
}

/** Tells what became of a request that failed without an answer. */
export function explainEgressFailure(error: CodedError, isSent: boolean): EgressFailure {
  if (error instanceof EgressError) return { stage: error.stage, message: bound(error.message) };
  return { stage: stageOf(error, isSent), message: bound(messageOf(error)) };
}
