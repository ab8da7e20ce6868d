// Runs operations for pages as the API runs them for programs: a page can do nothing that its visitor could not do by the API.
import type { FastifyRequest } from "fastify";
import type { Caller } from "../kernel/caller.ts";
import { isDeferredWork, isWrite, takesBody } from "../kernel/contract.ts";
import type { Instance } from "../kernel/contract.ts";
import type { Operation } from "../kernel/operation-registry.ts";
import type { Clock } from "../kernel/scheduling/clock.ts";
import { resultOf } from "../operations/execute.ts";
import { compileInput } from "../operations/validation.ts";
import type { OperationRunner } from "../operations/operation-runner.ts";
import { createOperationRequest } from "./requests/operation-request.ts";
import { ownOrigin } from "./requests/same-origin.ts";
import type { RunEffect } from "./route.ts";

export interface OperationInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Runs an operation as the visitor who sent `request`, whose credential is the session. Throws refusals. */
export type RunOperation = (
  request: FastifyRequest,
  caller: Caller,
  operation: string,
  input?: OperationInput,
) => Promise<unknown>;

export function createRunOperation({
  runner,
  operations,
  clock,
  instance,
  runEffect,
  publicUrl,
}: {
  readonly runner: OperationRunner;
  readonly operations: ReadonlyMap<string, Operation>;
  readonly clock: Clock;
  readonly instance: Instance;
  readonly runEffect: RunEffect;
  readonly publicUrl: string;
}): RunOperation {
  const checksOf = new Map<string, ReturnType<typeof compileInput>>();
  return async (request, caller, id, { params = {}, query = {}, body } = {}) => {
    const operation = operations.get(id);
    if (!operation) throw new Error(`unknown operation ${id}`);
    const { endpoint } = operation;
    const checks = checksOf.get(id) ?? compileInput(endpoint);
    checksOf.set(id, checks);
    checks.params(params);
    if (takesBody(endpoint)) checks.body(body);
    const isWriting = isWrite(endpoint, query);
    const input = { path: "", queryText: "", values: new Map(), params, query, isWriting };
    const made = createOperationRequest({ id, endpoint }, request, input, { now: clock(), instance });
    const asked = { ...made, body, idempotency: null };
    const result = resultOf(await runner[isWriting ? "write" : "read"](asked, caller));
    if (!isDeferredWork(result)) return result;
    const client = { signal: new AbortController().signal, origin: ownOrigin(request, publicUrl) };
    return await runEffect(id, result.effect, client);
  };
}
