// Runs the health checks. Each is bounded in time; a store that hangs and a store that fails are told apart.
import type { HealthCheckCode } from "./health-checks.ts";
import type { MonitoredStore } from "./monitored-store.ts";
import { lookAtDisk } from "./quick-checks.ts";
import { TIMED_OUT, withTimeout } from "./timeout.ts";
import type { Settings } from "../config/config.ts";
import { keySources } from "../config/data-paths.ts";
import { isAnyReady } from "../../events/queue/queue.ts";
import { MINUTE_MS, SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import { singleFlight } from "../../platform/kernel/scheduling/single-flight.ts";
import { openKeyring } from "../../platform/keyring/keyring.ts";
import { KeyringError } from "../../platform/keyring/master-key.ts";
import { missingKeys } from "../master-keys/key-use.ts";
import type { StoreFailureReason } from "../../platform/store/database.ts";
import { isTableMissing, naming, storeFailureReason } from "../../platform/store/failure.ts";
import { SCHEMA_VERSION, canGoOnBeside, describeOtherSchema } from "../../platform/store/migrations/migrate.ts";
import { refuseToWrite } from "../../platform/store/postgres/roles.ts";
import type { StoreStatus } from "../../platform/store/probe.ts";

const TIMEOUT_MS = 2 * SECOND_MS;
/** A change that waits longer than this to be written waits for something that hangs. */
const STALLED_MS = 10 * SECOND_MS;
/** After a failed write a small write may succeed where waiting ones still fail: for this long the failure is reported as it was. */
const SUSPICION_MS = 2 * SECOND_MS;
/** If a webhook has been ready for longer than this, no process delivers. */
const UNDELIVERED_MS = 5 * MINUTE_MS;
const MAX_SKEW_MS = 5 * SECOND_MS;

/** A failed check. */
export interface Finding {
  readonly code: HealthCheckCode;
  /** For the log: it may name hosts, files and keys. */
  readonly detail: string;
  /** Overrides that of the check. */
  readonly isFatal?: boolean;
}

export const CODES: Readonly<Record<StoreFailureReason, HealthCheckCode>> = {
  unreachable: "store_unreachable",
  silent: "store_timeout",
  busy: "store_timeout",
  too_few_connections: "too_few_connections",
  full: "store_full",
  read_only: "store_read_only",
  standby: "store_standby",
  login_refused: "store_login_refused",
  tls_refused: "store_tls_refused",
  no_schema: "store_no_schema",
  transaction_pooling: "store_transaction_pooling",
  denied: "store_denied",
  failing: "store_failing",
  damaged: "store_damaged",
  other_schema: "schema_newer",
  // The process ends by itself, and says so in its log.
  writer_lost: "store_unreachable",
  outcome_unknown: "store_unreachable",
};

/** The input of the checks. Concurrent checks share one probe, so a hanging store gets only one. */
interface Checked {
  readonly store: MonitoredStore;
  readonly settings: Settings;
  readonly clock: Clock;
  readStatus(): Promise<StoreStatus>;
  tryWriting(): Promise<void>;
}

function describeTimeout(store: MonitoredStore): Finding {
  const { host, waiting = 0, idle = 1, refusal = null } = store.connections() ?? {};
  const isExhausted = waiting > 0 && idle === 0;
  const code = !isExhausted ? "store_timeout" : refusal === null ? "pool_exhausted" : CODES[refusal];
  const detail = `no response within ${TIMEOUT_MS} ms, ${waiting} waiting for a connection`;
  return { code, detail: naming(host, detail), isFatal: true };
}

function describeFailure(store: MonitoredStore, error: unknown): Finding {
  const reason = storeFailureReason(error);
  const { message, code: state } = error as Error & { readonly code?: string };
  const code = isTableMissing(error) ? "store_no_schema" : reason === null ? "store_unreachable" : CODES[reason];
  // A connection that could not be opened names its host itself.
  const detail = naming(store.connections()?.host, message);
  return { code, detail: `${detail}${state ? ` (${state})` : ""}`, isFatal: true };
}

async function checkStore({
  store,
  readStatus,
}: Checked): Promise<{ readonly status: StoreStatus } | { readonly finding: Finding }> {
  try {
    const status = await withTimeout(readStatus(), TIMEOUT_MS);
    return status === TIMED_OUT ? { finding: describeTimeout(store) } : { status };
  } catch (error) {
    return { finding: describeFailure(store, error) };
  }
}

function checkSchema({ schemaVersion, newerMigrations }: StoreStatus): Finding | null {
  const detail = describeOtherSchema(schemaVersion);
  if (detail === null) return null;
  if (schemaVersion < SCHEMA_VERSION) return { code: "schema_older", detail, isFatal: true };
  return { code: "schema_newer", detail, isFatal: !canGoOnBeside(newerMigrations) };
}

async function checkWriting({ store, tryWriting }: Checked): Promise<Finding[]> {
  const waitingMs = store.waitingMs();
  if (waitingMs > STALLED_MS) {
    return [{ code: "writer_stalled", detail: `a change has waited for ${Math.round(waitingMs)} ms to be written` }];
  }
  const { failures } = store;
  if (!failures.write) return [];
  const suspected = describeFailure(store, failures.write.error);
  if (performance.now() - failures.write.at < SUSPICION_MS) return [suspected];
  try {
    if ((await withTimeout(tryWriting(), TIMEOUT_MS)) === TIMED_OUT) return [suspected];
    failures.write = undefined;
    return [];
  } catch (error) {
    return [describeFailure(store, error)];
  }
}

/** The keys that the next start would find, and this process when it meets an unknown key. */
function readKeyIds(settings: Settings): readonly string[] {
  try {
    return openKeyring(keySources(settings)).keyIds();
  } catch (error) {
    if (!(error instanceof KeyringError)) throw error;
    return [];
  }
}

async function checkKeys({ store: { keyring, reader, failures }, settings }: Checked): Promise<Finding[]> {
  const present = keyring.keyIds();
  const missing = await missingKeys(reader, { keyIds: () => readKeyIds(settings) });
  if (missing.length === 0) {
    failures.isKeyMissing = false;
    return [];
  }
  // The writer thread reads its keys itself: `isKeyMissing` says that it lacked one.
  const isLacking = failures.isKeyMissing || missing.some((id) => !present.includes(id));
  const detail = `the store needs ${missing.join(" and ")}`;
  return [{ code: isLacking ? "master_key_missing" : "master_key_removed", detail }];
}

async function checkDeliveries({ store, clock }: Checked): Promise<Finding[]> {
  if (!(await isAnyReady(store.reader, 0, clock() - UNDELIVERED_MS))) return [];
  return [{ code: "deliveries_stalled", detail: `a webhook waits for more than ${UNDELIVERED_MS} ms` }];
}

/** Not fatal: the open connections serve. */
function checkConnections({ store }: Checked): Finding[] {
  const { total = 0, refusal = null } = store.connections() ?? {};
  if (refusal === null) return [];
  return [
    { code: CODES[refusal], detail: `one more connection could not be opened; ${total} are open`, isFatal: false },
  ];
}

function checkDisk({ store, settings }: Checked): Finding[] {
  if (store.engine === "postgres") return [];
  const { freeMib, isReserved, isScarce } = lookAtDisk(settings);
  const detail = `${freeMib} MiB free in ${settings.dataDir}`;
  if (isReserved) {
    return [{ code: "store_full", detail: `${detail}, and REEVE_DISK_RESERVE leaves ${settings.diskReserve}` }];
  }
  return isScarce ? [{ code: "disk_scarce", detail }] : [];
}

function checkClock({ clock }: Checked, { serverTime }: StoreStatus): Finding[] {
  const skewMs = serverTime === null ? 0 : clock() - serverTime;
  return Math.abs(skewMs) > MAX_SKEW_MS ? [{ code: "clock_skewed", detail: `by ${Math.round(skewMs)} ms` }] : [];
}

async function runChecks(checked: Checked): Promise<readonly Finding[]> {
  const result = await checkStore(checked);
  if ("finding" in result) return [result.finding];
  const { status } = result;
  const schema = checkSchema(status);
  // Nothing else can be read from another schema.
  if (schema?.isFatal) return [schema];
  // The keys are read under a lock, which such a server gives nobody.
  if (status.refusal !== null) return [describeFailure(checked.store, refuseToWrite(status.refusal))];
  if (status.lacking !== null) {
    const detail = naming(checked.store.connections()?.host, status.lacking);
    return [{ code: "store_denied", detail, isFatal: true }];
  }
  const reads = Promise.all([checkWriting(checked), checkKeys(checked), checkDeliveries(checked)]);
  const found = await withTimeout(reads, TIMEOUT_MS).catch((error: unknown) => [
    [describeFailure(checked.store, error)],
  ]);
  const findings = found === TIMED_OUT ? [describeTimeout(checked.store)] : found.flat();
  return [
    ...(schema ? [schema] : []),
    ...findings,
    ...checkConnections(checked),
    ...checkDisk(checked),
    ...checkClock(checked, status),
  ];
}

/** Returns a function that runs all checks once. */
export function createChecks(
  store: MonitoredStore,
  settings: Settings,
  clock: Clock,
): () => Promise<readonly Finding[]> {
  const readStatus = singleFlight(() => store.probe());
  const tryWriting = singleFlight(() => store.probeWriting());
  return () => runChecks({ store, settings, clock, readStatus, tryWriting });
}
