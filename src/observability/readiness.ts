// Whether this process can serve, and if not, why. Bounded in time and in cost, however often it is asked: a probe that
// hangs is told from one that fails, and whoever asks within the same second is told the same.
import type { FastifyBaseLogger } from "fastify";
import { keySources } from "../config/data-paths.ts";
import type { StoreRunner } from "../server/store-side.ts";
import { HEALTH_CHECKS } from "./health-checks.ts";
import type { HealthCheckCode } from "./health-checks.ts";
import { TIMED_OUT, withTimeout } from "./within-time.ts";
import type { Settings } from "../config/config.ts";
import type { FailedCheck } from "../operations/operation-runner.ts";
import { MINUTE_MS, SECOND_MS } from "../kernel/scheduling/clock.ts";
import type { Clock } from "../kernel/scheduling/clock.ts";
import { singleFlight } from "../kernel/scheduling/single-flight.ts";
import { openKeyring } from "../keyring/keyring.ts";
import { KeyringError } from "../keyring/master-key.ts";
import { missingKeys } from "../resources/key-use/key-use.ts";
import { isAnyReady } from "../delivery/queue/queue.ts";
import { storeFailureReason } from "../store/failure.ts";
import type { StoreFailureReason } from "../store/database.ts";
import { SCHEMA_VERSION, describeOtherSchema } from "../store/migrations/migrate.ts";
import type { StoreStatus } from "../store/probe.ts";
import { freeBytes } from "../store/sqlite/file.ts";

/** For so long an answer stands. */
const KEPT_MS = SECOND_MS;
const TIMEOUT_MS = 2 * SECOND_MS;
/** What waits longer than this to be written waits for something that hangs. */
const STALLED_MS = 10 * SECOND_MS;
/** After a write failed: what else waits may fail too, although a small one succeeds. */
const SUSPICION_MS = 2 * SECOND_MS;
/** A webhook that is ready for longer is looked at by nobody. */
const UNDELIVERED_MS = 5 * MINUTE_MS;
const MAX_SKEW_MS = 5 * SECOND_MS;
export const FULL_BYTES = 64 * 1_048_576;

interface Found {
  readonly code: HealthCheckCode;
  /** For the log: it may name hosts, files and keys. */
  readonly detail: string;
  /** Where it is not always the same. */
  readonly isFatal?: boolean;
}

export interface Readiness {
  /** What is wrong; nothing when requests can be served and nobody need look. */
  check(): Promise<readonly FailedCheck[]>;
}

export interface ReadinessOptions {
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
}

const CODES: Readonly<Record<StoreFailureReason, HealthCheckCode>> = {
  unreachable: "store_unreachable",
  silent: "store_timeout",
  busy: "store_timeout",
  too_few_connections: "too_few_connections",
  full: "store_full",
  read_only: "store_read_only",
  denied: "store_denied",
  failing: "store_failing",
  damaged: "store_damaged",
  other_schema: "schema_newer",
  writer_lost: "writer_lost",
  outcome_unknown: "store_unreachable",
};

function publicCheck({ code, isFatal = HEALTH_CHECKS[code].isFatal }: Found): FailedCheck {
  return { code, ...HEALTH_CHECKS[code], isFatal };
}

export function createReadiness(
  runner: StoreRunner,
  settings: Settings,
  { clock, logger }: ReadinessOptions,
): Readiness {
  const ask = singleFlight(() => runner.probe());
  const tryWriting = singleFlight(() => runner.probeWriting(clock()));
  let known: { readonly at: number; readonly failedChecks: Promise<readonly FailedCheck[]> } | undefined;
  let told = "";

  function timedOut(): Found {
    const { waiting = 0, idle = 1, areTooFew = false } = runner.connections() ?? {};
    const isExhausted = waiting > 0 && idle === 0;
    const code = !isExhausted ? "store_timeout" : areTooFew ? "too_few_connections" : "pool_exhausted";
    return { code, detail: `no answer within ${TIMEOUT_MS} ms, ${waiting} waiting for a connection`, isFatal: true };
  }

  /** What it is called that something failed. */
  function failed(error: unknown): Found {
    const reason = storeFailureReason(error);
    const code = reason === null ? "store_unreachable" : CODES[reason];
    return { code, detail: (error as Error).message, isFatal: true };
  }

  /** Those that there are serve. */
  function examineConnections(): Found[] {
    const { total = 0, areTooFew = false } = runner.connections() ?? {};
    if (!areTooFew) return [];
    return [{ code: "too_few_connections", detail: `the database server has refused one; ${total} are open` }];
  }

  /** How the store is, or what is wrong with it. */
  async function examineStore(): Promise<{ readonly facts: StoreStatus } | { readonly found: Found }> {
    try {
      const facts = await withTimeout(ask(), TIMEOUT_MS);
      return facts === TIMED_OUT ? { found: timedOut() } : { facts };
    } catch (error) {
      return { found: failed(error) };
    }
  }

  async function examineWriting({ isReadOnly }: StoreStatus): Promise<Found[]> {
    if (isReadOnly) return [{ code: "store_read_only", detail: "the database server is read-only" }];
    const waitingMs = runner.waitingMs();
    if (waitingMs > STALLED_MS) {
      return [{ code: "writer_stalled", detail: `something waits since ${Math.round(waitingMs)} ms to be written` }];
    }
    const { noted } = runner;
    if (!noted.write) return [];
    const suspected = failed(noted.write.error);
    if (performance.now() - noted.write.at < SUSPICION_MS) return [suspected];
    try {
      if ((await withTimeout(tryWriting(), TIMEOUT_MS)) === TIMED_OUT) return [suspected];
      noted.write = undefined;
      return [];
    } catch (error) {
      return [failed(error)];
    }
  }

  function examineSchema({ schemaVersion }: StoreStatus): Found[] {
    const detail = describeOtherSchema(schemaVersion);
    if (detail === null) return [];
    return [{ code: schemaVersion > SCHEMA_VERSION ? "schema_newer" : "schema_older", detail }];
  }

  async function examineKeys(): Promise<Found[]> {
    const { keyring, reader, noted } = runner;
    const present = keyring.keyIds();
    const missing = await missingKeys(reader, { keyIds: readKeyIds });
    if (missing.length === 0) {
      noted.isKeyMissing = false;
      return [];
    }
    // The writer's thread has read its keys itself: it has said so when it lacked one.
    const isLacking = noted.isKeyMissing || missing.some((id) => !present.includes(id));
    const detail = `the store needs ${missing.join(" and ")}`;
    return [{ code: isLacking ? "master_key_missing" : "master_key_removed", detail }];
  }

  /** As the next start would find them, and this process when it meets a key that it does not know. */
  function readKeyIds(): readonly string[] {
    try {
      return openKeyring(keySources(settings)).keyIds();
    } catch (error) {
      if (!(error instanceof KeyringError)) throw error;
      return [];
    }
  }

  function examineDisk(): Found[] {
    if (runner.engine === "postgres") return [];
    const free = freeBytes(settings.dataDir);
    return free < FULL_BYTES ? [{ code: "disk_scarce", detail: `${free} bytes free in ${settings.dataDir}` }] : [];
  }

  async function examineDeliveries(): Promise<Found[]> {
    if (!(await isAnyReady(runner.reader, 0, clock() - UNDELIVERED_MS))) return [];
    return [{ code: "deliveries_stalled", detail: `a webhook waits for more than ${UNDELIVERED_MS} ms` }];
  }

  function examineClock({ serverTime }: StoreStatus): Found[] {
    const skewMs = serverTime === null ? 0 : clock() - serverTime;
    return Math.abs(skewMs) > MAX_SKEW_MS ? [{ code: "clock_skewed", detail: `by ${Math.round(skewMs)} ms` }] : [];
  }

  async function examine(): Promise<Found[]> {
    const store = await examineStore();
    if ("found" in store) return [store.found];
    const { facts } = store;
    const schema = examineSchema(facts);
    // Of another schema nothing further can be read.
    if (schema.length > 0) return schema;
    const rest = withTimeout(Promise.all([examineWriting(facts), examineKeys(), examineDeliveries()]), TIMEOUT_MS);
    const found = await rest.catch((error: unknown) => [[failed(error)]]);
    const seen = found === TIMED_OUT ? [timedOut()] : found.flat();
    return [...seen, ...examineConnections(), ...examineDisk(), ...examineClock(facts)];
  }

  /** Once for each change: probes come often. */
  function tell(found: readonly Found[]): void {
    const now = found.map(({ code }) => code).join(" ");
    if (now === told) return;
    told = now;
    const isFatal = found.some((one) => publicCheck(one).isFatal);
    if (found.length === 0) logger.info("ready: what was wrong is over");
    else logger.warn({ found }, isFatal ? "not ready" : "ready, but something is wrong");
  }

  async function look(): Promise<readonly FailedCheck[]> {
    const found = await examine();
    tell(found);
    return found.map(publicCheck);
  }

  return {
    check() {
      const now = performance.now();
      if (!known || now - known.at >= KEPT_MS) known = { at: now, failedChecks: look() };
      return known.failedChecks;
    },
  };
}
