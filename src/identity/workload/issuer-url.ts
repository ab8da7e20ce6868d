// Where the keys of an issuer may be fetched from.
import { isAdministrator } from "../../platform/kernel/caller.ts";
import type { Call } from "../../platform/kernel/contract.ts";
import { fieldError } from "../../platform/kernel/errors.ts";
import { checkDestination, explainProblems } from "../../platform/kernel/network/egress.ts";
import type { EgressRules } from "../../platform/kernel/network/egress.ts";

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * The problem of a URL from which keys are to be fetched; null: there is none. Anyone who could change what crosses the network could sign
 * tokens, so it is https, or loopback where egress may go there.
 */
export function findIssuerProblem(text: string, rules: EgressRules, isOperator = false): string | null {
  const destination = checkDestination(text, rules);
  if ("problems" in destination) return explainProblems(destination.problems, { isOperator });
  const { protocol, hostname } = destination.url;
  if (protocol === "https:" || LOOPBACK.test(hostname)) return null;
  return "expected a URL with https, such as https://token.actions.githubusercontent.com, got http";
}

export function requireIssuer({ instance, caller }: Pick<Call, "instance" | "caller">, issuer: string): void {
  const isOperator = isAdministrator(caller);
  const problem = findIssuerProblem(issuer, instance.egress, isOperator);
  if (problem !== null) throw fieldError("bad_request", "body.issuer", problem);
  if (/[?#]/.test(issuer)) throw fieldError("bad_request", "body.issuer", "expected a URL without query and fragment");
}
