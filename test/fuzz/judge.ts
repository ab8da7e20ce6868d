// Whether a response is one that the document promises: the status, the form, the body, and the code of a refusal.
import { ERROR_FORMS, findOperation } from "./document.ts";
import type { Operation } from "./document.ts";
import type { FuzzRequest } from "./requests.ts";

export interface FuzzResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly text: string;
}

/**
 * What the HTTP layer refuses before it knows an operation, or instead of one: the path, the method, the size of a segment.
 * The document has them for no operation, because no client of an operation sees them.
 */
const ROUTING_REFUSALS: Readonly<Record<string, number>> = {
  not_found: 404,
  method_unknown: 405,
  invalid_path: 400,
  // Of the paths of a team's firewall, which there is not.
  plan_not_supported: 403,
};

/** Errors of a request's head, which come before the look at the path. */
const HEAD_REFUSALS: Readonly<Record<string, number>> = {
  bad_request: 400,
  unsupported_media_type: 415,
  expectation_failed: 417,
};

/** 5xx that are declared and that a request can bring about; each with its reason. There is none. */
const EXPLAINED: readonly string[] = [];

function mediaTypeOf({ headers }: FuzzResponse): string {
  return String(headers["content-type"] ?? "").split(";")[0] ?? "";
}

function codeOf(body: unknown): string {
  const { code, error } = body as { readonly code?: string; readonly error?: { readonly code?: string } };
  return error?.code ?? code ?? "none";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problemOfHeaders({ status, headers }: FuzzResponse): string | null {
  if (headers["x-request-id"] === undefined) return "no X-Request-Id";
  if (headers["cache-control"] === undefined) return "no Cache-Control";
  if ((status === 429 || status === 503) && headers["retry-after"] === undefined) return "no Retry-After";
  if (status === 401 && headers["www-authenticate"] === undefined) return "no WWW-Authenticate";
  if (status === 405 && headers["allow"] === undefined) return "no Allow";
  return null;
}

/** Whether the refusal is about a header that the request has. */
function isAboutHead({ headers }: FuzzRequest, { status, text }: FuzzResponse): boolean {
  type Refusal = { readonly code?: string; readonly field?: string };
  const body = parse(text) as Refusal & { readonly error?: Refusal };
  // RFC 9457 has them at the top.
  const { code = "", field } = body.error ?? body;
  return field !== undefined && HEAD_REFUSALS[code] === status && field.toLowerCase() in headers;
}

function problemOfRefusal(request: FuzzRequest, answer: FuzzResponse, operation?: Operation): string | null {
  const body = parse(answer.text);
  const mediaType = mediaTypeOf(answer);
  const check = operation?.answers.get(answer.status)?.forms.get(mediaType) ?? ERROR_FORMS.get(mediaType);
  if (!check) return `the media type ${mediaType} of a refusal`;
  const problem = check(body);
  if (problem !== null) return `a refusal of another form: ${problem}`;
  const code = codeOf(body);
  if (operation?.answers.get(answer.status)?.codes.includes(code)) return null;
  if (ROUTING_REFUSALS[code] === answer.status) return null;
  if (!operation && isAboutHead(request, answer)) return null;
  return operation
    ? `${answer.status} ${code}, which ${operation.id} does not declare`
    : `${answer.status} ${code} where there is no operation`;
}

function problemOfSuccess(answer: FuzzResponse, operation: Operation): string | null {
  const declared = operation.answers.get(answer.status);
  if (!declared) return `the status ${answer.status}, which ${operation.id} does not declare`;
  if (answer.status === 204) return answer.text === "" ? null : "a body with 204";
  const check = declared.forms.get(mediaTypeOf(answer));
  if (!check) return `the media type ${mediaTypeOf(answer)}`;
  if (mediaTypeOf(answer) !== "application/json") return check(answer.text);
  const problem = check(parse(answer.text));
  return problem === null ? null : `a body that does not fit its schema: ${problem}`;
}

/** Where browsers are led on, and the home page of the documentation, beside what openapi.json describes. */
const LEADS_ON = ["/", "/docs/", "/docs"];

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** OPTIONS is answered with the methods that openapi.json has for the path. */
function problemOfOptions(path: string, { status, text, headers }: FuzzResponse): string | null {
  const known = METHODS.filter((method) => findOperation(method, path) !== undefined);
  const allowed = String(headers["allow"] ?? "").split(", ");
  const isRight = METHODS.every((method) => known.includes(method) === allowed.includes(method));
  if (known.length === 0 || !isRight)
    return `OPTIONS of what knows ${known.join(", ")} answered "${allowed.join(", ")}"`;
  return status === 204 && text === "" ? null : `the status ${status} of OPTIONS`;
}

/** The error of the response; null: none. */
export function findProblem(request: FuzzRequest, answer: FuzzResponse): string | null {
  const { status } = answer;
  const [path = ""] = request.url.split("?");
  const operation = findOperation(request.method, path);
  if (status >= 500 && !EXPLAINED.includes(codeOf(parse(answer.text)))) return `the status ${status}`;
  const ofHeaders = problemOfHeaders(answer);
  if (ofHeaders !== null) return ofHeaders;
  if (request.method === "HEAD") return answer.text === "" ? null : "a body of a HEAD";
  const isKept = operation?.access === "public" || operation?.answers.has(304);
  if (status === 304) return isKept ? null : "304 of what is never kept";
  if (status >= 400) return problemOfRefusal(request, answer, operation);
  if (status === 302 && LEADS_ON.includes(path)) return null;
  if (request.method === "OPTIONS") return problemOfOptions(path, answer);
  return operation ? problemOfSuccess(answer, operation) : `the status ${status} where there is no operation`;
}
