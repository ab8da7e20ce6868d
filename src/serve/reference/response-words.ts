// What a successful response is, in words: what its contract says, else what follows from the endpoint.
import type { NamedEndpoint } from "../../platform/operations/endpoint-details.ts";
import { isMutation } from "../../platform/kernel/contract.ts";

/** `FirewallConfig`: "firewall config"; `CreatedSecret`: "secret" */
const wordsOf = (name: string): string =>
  name
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase()
    .replace(/^(?:created|changed|revealed) /, "");

/** A summary says what a read returns: "Get a team by id or slug". */
function returned(summary: string): string {
  const thing = summary.replace(/^(?:Get|List|Read|Find) /, "");
  return `${thing[0]?.toUpperCase()}${thing.slice(1)}.`;
}

export function describeResponse({ id, endpoint }: NamedEndpoint): string {
  const { response, returns, summary } = endpoint;
  if (returns !== undefined) return returns;
  if (!isMutation(endpoint)) return returned(summary);
  const { title, properties = {} }: { readonly title?: string; readonly properties?: object } = response;
  const members = Object.keys(properties);
  const name = title ?? (members.length === 1 ? members[0] : undefined);
  if (name === undefined) throw new Error(`say in \`returns\` of ${id} what its response is`);
  return `The ${wordsOf(name)} after the call.`;
}
