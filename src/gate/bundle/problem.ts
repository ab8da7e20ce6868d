// Why a bundle is not confirmed: a mistake, which is an answer that only an operator repairs, or an outage, which passes. The message of a
// mistake names the setting that it is about.
import type { ProjectReference } from "../hosts.ts";
import { RefusedError, UnusableAnswerError, isPassing } from "./control-plane.ts";

type SettingName = "server" | "key" | "team" | "project";
/** What each setting is called where the operator sets it. */
export type SettingNames = Readonly<Record<SettingName, string>>;

const HOSTS = "REEVE_GATE_HOSTS (--hosts)";
/** Of `reeve gate`. */
export const SETTING_NAMES: SettingNames = {
  server: "REEVE_GATE_SERVER (--server)",
  key: "REEVE_GATE_KEY_FILE (--key-file)",
  team: HOSTS,
  project: HOSTS,
};

export interface Mistake {
  readonly kind: "mistake";
  readonly message: string;
  readonly setting: string;
  readonly expected: string;
  readonly got: string;
}

export type Problem = Mistake | { readonly kind: "outage"; readonly message: string };

/** One line: mistakes of one setting with the same expectation are joined. */
export function describeMistakes(mistakes: readonly Omit<Mistake, "kind" | "message">[]): string {
  const groups = Map.groupBy(mistakes, ({ setting, expected }) => `${setting}: expected ${expected}`);
  return [...groups]
    .map(([expectation, group]) => `${expectation}, got ${[...new Set(group.map(({ got }) => got))].join(", ")}`)
    .join("; ");
}

type Finding = readonly [setting: SettingName, expected: string, got: string];

function findInRefusal({ status, message, projectId }: RefusedError, { team, project }: ProjectReference): Finding {
  const name = JSON.stringify(team === null ? project : `${team}/${project}`);
  if (status === 401) return ["key", "an API key that the control plane accepts", `one that it refuses: ${message}`];
  if (status === 403) return ["key", "an API key with the permission gate:connect", `one that may not: ${message}`];
  if (projectId !== undefined) return ["project", "projects that exist and that the key may use", `${name} (404)`];
  if (message.startsWith("Team")) return ["team", "the team that the key is of", `${name}: ${message}`];
  return ["server", "the URL of a control plane for this gate", `one that refuses ${name}: ${message}`];
}

/** Not what a control plane speaks: another protocol than HTTP, or no TLS. */
function isForeign(cause: unknown): boolean {
  const { name, code } = (cause ?? {}) as { readonly name?: string; readonly code?: string };
  return name === "HTTPParserError" || code === "ERR_SSL_WRONG_VERSION_NUMBER";
}

/** Of a certificate that stays untrusted. One that has expired, or that is not valid yet, may be renewed without the gate. */
const UNTRUSTED =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_UNTRUSTED|CERT_REJECTED|INVALID_CA|INVALID_PURPOSE|ERR_TLS_CERT_ALTNAME_INVALID)$/;

/** What is wrong with the server, if a connection fails in the same way until somebody changes something; null: nothing known. */
function describeForeign(cause: unknown): string | null {
  if (isForeign(cause)) return "which speaks another protocol";
  const { code, message = "" } = (cause ?? {}) as { readonly code?: string; readonly message?: string };
  // The fetch standard blocks ports of other protocols, and has no code for it.
  if (message === "bad port") return "whose port is blocked";
  return UNTRUSTED.test(code ?? "") ? `whose certificate is not trusted: ${message}` : null;
}

function findMistake(error: unknown, reference: ProjectReference, server: string): Finding | null {
  if (error instanceof RefusedError) return isPassing(error.status) ? null : findInRefusal(error, reference);
  const url = "the URL of a control plane for this gate";
  if (error instanceof UnusableAnswerError) return ["server", url, `${server}, which answers ${error.message}`];
  const foreign = describeForeign((error as Error).cause);
  return foreign === null ? null : ["server", url, `${server}, ${foreign}`];
}

/** With what caused it. */
export function describeError(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

/** `error` is why a bundle could not be fetched or used; `server` names the control plane. */
export function problemOf(error: unknown, reference: ProjectReference, server: string, names: SettingNames): Problem {
  const finding = findMistake(error, reference, server);
  if (!finding) return { kind: "outage", message: describeError(error) };
  const [setting, expected, got] = finding;
  const mistake = { setting: names[setting], expected, got };
  return { kind: "mistake", message: describeMistakes([mistake]), ...mistake };
}
