// Runs one operation directly on the store, without HTTP, for the command line; also beside a running server. Input passes
// the endpoint's validation and the result its response schema, so both look as they do over HTTP.
import fastJsonStringify from "fast-json-stringify";
import { keySources } from "../../serve/config/data-paths.ts";
import { withExistingDatabase } from "../../serve/open-database.ts";
import { createRegistry, operations } from "../../serve/composition/registry.ts";
import type { Settings } from "../../serve/config/config.ts";
import { NO_SCOPE } from "../../platform/operations/authorize.ts";
import type { ScopeReference } from "../../platform/operations/authorize.ts";
import { executeQuery, executeMutation, resultOf } from "../../platform/operations/execute.ts";
import type { OperationRequest } from "../../platform/operations/execute.ts";
import { compileInput } from "../../platform/operations/validation.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import { isRendered, isWrite, namesInstance, takesBody } from "../../platform/kernel/contract.ts";
import { openKeyring } from "../../platform/keyring/keyring.ts";
import { commandOrigin, findCommandCaller } from "../../serve/command-caller.ts";
import { instanceSettings } from "../../serve/config/instance-settings.ts";
import type { Database } from "../../platform/store/database.ts";

/** One call of an endpoint without HTTP. */
export interface OperationCall {
  readonly operation: string;
  /** Username, e-mail address or id of the user to act for; null acts as Reeve itself. */
  readonly user: string | null;
  /** Id or slug of the team that the call is about. */
  readonly team?: string | undefined;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

function scopeOf(team: string | undefined): ScopeReference {
  if (team === undefined) return NO_SCOPE;
  return { ...NO_SCOPE, ...(team.startsWith("team_") ? { teamId: team } : { slug: team }) };
}

async function runOperation(
  settings: Settings,
  database: Database,
  call: OperationCall,
  now: number,
): Promise<unknown> {
  const { operation: id, user, team, params = {}, query = {}, body } = call;
  const operation = operations.get(id);
  if (!operation) throw new Error(`unknown operation ${id}`);
  const { endpoint } = operation;
  const input = compileInput(endpoint);
  input.params(params);
  if (takesBody(endpoint)) input.body(body);
  const caller = await findCommandCaller(database.reader, user);
  const request: OperationRequest = {
    operation: id,
    identity: { caller },
    scope: { ...scopeOf(team), isInstance: namesInstance(endpoint, query) },
    params,
    query,
    body,
    now,
    ifMatch: null,
    origin: commandOrigin(),
    idempotency: null,
    instance: instanceSettings(settings),
  };
  const registry = createRegistry(openKeyring(keySources(settings)));
  const result = isWrite(endpoint, query)
    ? resultOf(await database.transaction((tx) => executeMutation(registry, tx, request)))
    : (await executeQuery(registry, database.reader, request, caller)).result;
  return JSON.parse(
    isRendered(result)
      ? Buffer.from(result.rendered).toString()
      : fastJsonStringify(endpoint.response as never)(result),
  );
}

/** Resolves to the response body; throws the ApiError that HTTP would respond with. */
export async function callOperation(settings: Settings, call: OperationCall, clock: Clock): Promise<unknown> {
  return await withExistingDatabase(settings, (database) => runOperation(settings, database, call, clock()));
}
