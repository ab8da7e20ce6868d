// Which operations are about what a team owns: without a team in the query, about what the credential itself does.
import { CONTRACTS } from "../../contracts.ts";
import type { Endpoint } from "../../platform/kernel/contract.ts";

const ENDPOINTS = CONTRACTS.flatMap((contract) => Object.entries<Endpoint>(contract));

/** The list to choose a team from is about none. */
export function isOwned(operation: string, { access }: Endpoint): boolean {
  return operation !== "listTeams" && access.kind === "owner";
}

const parametersIn = (path: string): number => path.split("/:").length;

/** A segment as the server reads it. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function fits(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split("/"), path.split("/").map(decoded)];
  return wanted.length === given.length && wanted.every((part, at) => part.startsWith(":") || part === given[at]);
}

/** The same of the operation that a request calls. */
export function isOwnedAt(method: string, path: string): boolean {
  const found = ENDPOINTS.filter(([, endpoint]) => endpoint.method === (method === "HEAD" ? "GET" : method)).flatMap(
    ([id, endpoint]) =>
      [endpoint.path, ...(endpoint.aliases ?? [])]
        .filter((pattern) => fits(pattern, path))
        .map((pattern) => ({ pattern, is: isOwned(id, endpoint) })),
  );
  const [best] = found.toSorted((one, other) => parametersIn(one.pattern) - parametersIn(other.pattern));
  return best?.is === true;
}
