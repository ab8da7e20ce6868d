// Logs the responses of the endpoints over all processes of the suite, and compares them with the contracts: every error is
// declared, and every declared error occurs in a test.
import { appendFileSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { CONTRACTS } from "../../src/contracts.ts";
import { HTTP_ERRORS } from "../../src/platform/kernel/http-errors.ts";
import type { Endpoint } from "../../src/platform/kernel/contract.ts";
import { NEVER_PRODUCED } from "../operations/exceptions.ts";
import { recordEvidence } from "./evidence.ts";

/** The folder of the log; set by test/run.ts. */
const FOLDER = process.env["REEVE_TEST_SCRATCH"];

const endpoints = new Map<string, Endpoint>(CONTRACTS.flatMap((contract) => Object.entries(contract)));
const operationOf = new Map<string, string>(
  [...endpoints].flatMap(([id, { method, path, aliases = [] }]) =>
    [path, ...aliases].map((url) => [`${method} ${url}`, id] as const),
  ),
);

const logged = new Set<string>();
/** Appended to the code of a refusal whose message names a field by its path instead of the sender's name for it. */
const BY_PATH = "by-path";

interface Refusal {
  readonly code?: string;
  readonly message?: string;
  readonly detail?: string;
  readonly error?: Refusal;
}

function describeRefusal(body: string): string {
  const response = JSON.parse(body) as Refusal;
  const { code = "none", message = response.detail ?? "" } = response.error ?? response;
  return /\b(?:body|query|path)\.[a-z]/i.test(message) ? `${code} ${BY_PATH}` : code;
}

/** Logs each kind of response of `server` once: `operation status code`. */
export function logResponses(server: FastifyInstance): void {
  if (FOLDER === undefined) return;
  server.addHook("onSend", async (request, reply, payload) => {
    const operation = operationOf.get(`${request.method} ${request.routeOptions.url}`);
    if (operation === undefined) return;
    const { statusCode } = reply;
    if (statusCode < 400) recordEvidence(`call ${request.method} ${request.routeOptions.url}`);
    const line = `${operation} ${statusCode} ${statusCode < 400 ? "-" : describeRefusal(String(payload))}\n`;
    if (logged.has(line)) return;
    logged.add(line);
    appendFileSync(join(FOLDER, `${process.pid}.log`), line);
  });
}

function readResponses(folder: string): Set<string> {
  const files = globSync("*.log", { cwd: folder });
  return new Set(files.flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n").filter(Boolean)));
}

function undeclared(responses: ReadonlySet<string>): string[] {
  return [...responses].filter((response) => {
    const [operation, status, code, naming] = response.split(" ") as [string, string, string, string?];
    if (naming === BY_PATH) return false;
    const endpoint = endpoints.get(operation) as Endpoint;
    if (code === "-" && endpoint.isConditional && status === "304") return false;
    if (code === "-") return Number(status) !== (endpoint.status ?? 200);
    return !([...HTTP_ERRORS, ...endpoint.errors] as string[]).includes(code);
  });
}

function unproven(responses: ReadonlySet<string>): string[] {
  const isProduced = (operation: string, code: string) =>
    [...responses].some((response) => response.startsWith(`${operation} `) && response.endsWith(` ${code}`));
  const missing = [...endpoints].flatMap(([operation, { errors }]) =>
    errors
      .filter((code) => !NEVER_PRODUCED[operation]?.includes(code) && !isProduced(operation, code))
      .map((code) => `${operation}: declares ${code}, and no test produces it`),
  );
  const obsolete = Object.entries(NEVER_PRODUCED).flatMap(([operation, codes]) =>
    codes
      .filter((code) => !endpoints.get(operation)?.errors.includes(code) || isProduced(operation, code))
      .map((code) => `${operation}: strike ${code} from test/operations/exceptions.ts`),
  );
  return [...missing, ...obsolete];
}

/** Contradictions between responses and contracts; a part of the suite proves nothing about missing ones. */
export function findContradictions(folder: string, isWholeSuite: boolean): string[] {
  const responses = readResponses(folder);
  return [
    ...[...responses]
      .filter((response) => response.endsWith(` ${BY_PATH}`))
      .map((response) => `${response}: a message that calls a field by its path`),
    ...undeclared(responses).map((response) => `${response}: an response that the contract does not declare`),
    ...(isWholeSuite ? unproven(responses) : []),
  ];
}
