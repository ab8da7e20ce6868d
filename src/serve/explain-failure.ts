// Turns failures of Reeve's environment (settings, the store, the network address) into one line that says what to do. Any other
// failure is a bug and keeps its stack.
import { Failure, exitOfStatus } from "../platform/outcomes/failure.ts";
import { ConfigError } from "../platform/kernel/settings/setting-source.ts";
import { GateMistakeError } from "../gate/gate-status.ts";
import { GateListenError } from "../gate/listen-error.ts";
import { ApiError } from "../platform/kernel/errors.ts";
import { KeyringError } from "../platform/keyring/master-key.ts";
import { StoreError } from "../platform/store/database.ts";
import type { StoreFailureReason } from "../platform/store/database.ts";
import { STORE_ADVICE, adviceOn, isStoreFailure, storeFailureReason } from "../platform/store/failure.ts";

interface SystemError extends Error {
  readonly code?: string;
  readonly syscall?: string;
  readonly address?: string;
  readonly port?: number;
  readonly errcode?: number;
}

const listenAdvice = (port: string, host: string): Readonly<Record<string, string>> => ({
  EADDRINUSE: `something else listens there: stop it, or choose another port with ${port}`,
  EACCES: `this user may not: choose a port above 1023 with ${port}`,
  EADDRNOTAVAIL: `this machine does not have that address: set ${host}`,
  ENOTFOUND: `that name has no address: set ${host}`,
});
const SERVER_ADVICE = listenAdvice("REEVE_PORT (--port)", "REEVE_HOST (--host)");
const GATE_LISTEN = "REEVE_GATE_LISTEN (--listen of `reeve gate`)";
const GATE_ADVICE = listenAdvice(GATE_LISTEN, GATE_LISTEN);

const FLAG_OF_FIELD: Readonly<Record<string, string>> = { expiresAt: "expires" };

/** Replaces the name of a body's member by that of the command line's flag. */
function nameFlags({ message, details }: ApiError): string {
  const [, name] = /^body\.(\w+)/.exec(String(details["field"])) ?? [];
  if (name === undefined || !message.startsWith(name)) return message;
  return `--${FLAG_OF_FIELD[name] ?? name}${message.slice(name.length)}`;
}

/** Errors of connecting name the host and say what to do themselves. */
function withAdvice({ message, reason }: StoreError): string {
  const advice = adviceOn(reason);
  return advice === undefined || message.includes(advice) ? message : `cannot use PostgreSQL: ${message}: ${advice}`;
}

/** A statement that is refused does not say whether the server is a standby. */
function remedyFor(reason: StoreFailureReason): string | undefined {
  if (reason !== "read_only") return adviceOn(reason);
  return `if the server is a standby, ${STORE_ADVICE.standby}; else ${STORE_ADVICE.read_only}`;
}

/** A failure that says what to do; any other error stays as it is. */
export function explain(error: unknown): unknown {
  if (error instanceof ConfigError || error instanceof KeyringError || error instanceof GateMistakeError) {
    return new Failure("settings", error.message);
  }
  if (error instanceof ApiError) return new Failure(exitOfStatus(error.status), nameFlags(error), error.code);
  if (error instanceof StoreError) return new Failure("unavailable", withAdvice(error));
  const isGate = error instanceof GateListenError;
  const { code = "", syscall, address, port, errcode, message } = (isGate ? error.cause : error) as SystemError;
  const advice = (isGate ? GATE_ADVICE : SERVER_ADVICE)[code];
  if (advice !== undefined && (syscall === "listen" || syscall === "getaddrinfo")) {
    const endpoint = port === undefined ? "" : ` on ${address}:${port}`;
    const who = isGate ? "the gate cannot listen" : "cannot listen";
    return new Failure("unavailable", `${who}${endpoint}: ${advice}`);
  }
  const reason = storeFailureReason(error);
  const remedy = reason === null || errcode !== undefined ? undefined : remedyFor(reason);
  if (remedy !== undefined) {
    const what = reason === "denied" ? "PostgreSQL refuses this role" : "the database failed";
    return new Failure("unavailable", `${what}: ${message} (${code}): ${remedy}`);
  }
  if (errcode !== undefined || isStoreFailure(error)) {
    return new Failure("unavailable", `the database failed: ${message}; \`reeve doctor\` says more`);
  }
  return error;
}
