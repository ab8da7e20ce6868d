// What to do about an object that is not found: which list has it, or that the call names no team. It follows from the request alone, so
// that it says the same about what does not exist and what the caller may not see.
import { INSTANCE_ID } from "../kernel/caller.ts";
import type { Scope } from "../kernel/caller.ts";
import type { Endpoint } from "../kernel/contract.ts";
import { ApiError } from "../kernel/errors.ts";
import type { Operation } from "../kernel/operation-registry.ts";
import { singular } from "../kernel/text/nearest-name.ts";
import { templatePath } from "./endpoint-details.ts";

const NO_TEAM = "the request names no team by teamId or slug, so this looked in your own account";

interface Form {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Form>>;
  readonly anyOf?: readonly Form[];
}

/** Whether a response is a list, or has one: at the same path without an id there can also be one's own object. */
const isList = ({ type, properties = {}, anyOf = [] }: Form): boolean =>
  type === "array" || anyOf.some(isList) || Object.values(properties).some((member) => member.type === "array");

/** Where those are that have no list of their own name. */
const LISTED: ReadonlyMap<string, string> = new Map([
  ["Environment", "/v1/environments/{project}"],
  ["Rule", "/v1/firewalls/active"],
]);

/** The path of the list that has objects of a kind, such as `Webhook`, by the path that leads to one. */
function listPath(path: string, what: string, operations: ReadonlyMap<string, Operation>): string | undefined {
  const words = new Set(what.toLowerCase().split(" "));
  const segments = path.split("/");
  const end = segments.findLastIndex(
    (segment, at) =>
      segments[at + 1]?.startsWith(":") &&
      singular(segment)
        .split("-")
        .some((word) => words.has(word)),
  );
  // Below `/environments/:project/:environment` is an environment of a project, and the list is that of the project.
  const last = segments.findIndex((segment, at) => at > end && !segment.startsWith(":"));
  const ids = segments.slice(end + 1, last < 0 ? undefined : last);
  const own = end > 0 ? [[...segments.slice(0, end + 1), ...ids.slice(0, -1)].join("/")] : [];
  // Of what a path does not name, such as a version to go back to: the list below the path, or below the nearest one above it.
  const others = [...words].flatMap((word) =>
    segments.map((_segment, at) => [...segments.slice(0, segments.length - at), `${word}s`].join("/")),
  );
  const isRead = (list: string, { endpoint }: Operation) =>
    endpoint.method === "GET" &&
    [endpoint.path, ...(endpoint.aliases ?? [])].includes(list) &&
    isList(endpoint.response);
  for (const list of [...own, ...others]) {
    const found = [...operations.values()].find((one) => isRead(list, one));
    if (found) return templatePath(found.endpoint.path);
  }
  return LISTED.get(what);
}

const isPost = ({ method, path }: Endpoint, list: string | undefined) =>
  method === "POST" && list !== undefined && templatePath(path) === list;

/** The error with what to do about it; any other error unchanged. */
export function explainNotFound(
  error: unknown,
  { method, path, access }: Endpoint,
  { team, ownerId }: Pick<Scope, "team" | "ownerId">,
  operations: ReadonlyMap<string, Operation>,
): unknown {
  if (!(error instanceof ApiError) || error.code !== "not_found") return error;
  const isOwn = access.kind === "owner" && team === null && ownerId !== INSTANCE_ID;
  const isAboutProject = error.message.startsWith("Project not found: ");
  if (isAboutProject && isOwn) {
    return new ApiError("not_found", `${error.message}; ${NO_TEAM}`, error.details, error.hint);
  }
  const what = /^(.+?)(?: \d+)? not found$/.exec(error.message)?.[1];
  if (!what) return error;
  const list = listPath(path, what, operations);
  const isMade = method === "PUT" && [...operations.values()].some(({ endpoint }) => isPost(endpoint, list));
  const hint =
    list === undefined
      ? "check its id"
      : `GET ${list} lists those that there are${isMade ? `; POST ${list} creates one` : ""}`;
  const hints = [...(isOwn ? [NO_TEAM] : []), ...(list !== undefined || !isOwn ? [hint] : [])].join("; ");
  return new ApiError("not_found", `${error.message}: ${hints}`, error.details, error.hint);
}
