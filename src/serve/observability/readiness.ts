// Whether this process can serve, and if not, why. The checks run at most once a second, however many ask, and a change of
// their result is logged.
import type { FastifyBaseLogger } from "fastify";
import { HEALTH_CHECKS } from "./health-checks.ts";
import type { MonitoredStore } from "./monitored-store.ts";
import { createChecks } from "./run-checks.ts";
import type { Finding } from "./run-checks.ts";
import type { Settings } from "../config/config.ts";
import { SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { FailedCheck } from "../../platform/operations/operation-runner.ts";

const CACHED_MS = SECOND_MS;

export interface Readiness {
  /** The failed checks; none when requests can be served and nobody has to act. */
  check(): Promise<readonly FailedCheck[]>;
  /** Ends the start: until then the only failed check is that. */
  start(): void;
}

export interface ReadinessOptions {
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly isStarting?: boolean;
}

export function toFailedCheck({ code, isFatal = HEALTH_CHECKS[code].isFatal }: Finding): FailedCheck {
  return { code, ...HEALTH_CHECKS[code], isFatal };
}

export function createReadiness(
  store: MonitoredStore,
  settings: Settings,
  { clock, logger, isStarting = false }: ReadinessOptions,
): Readiness {
  let isStarted = !isStarting;
  const runChecks = createChecks(store, settings, clock);
  let cached: { readonly at: number; readonly failedChecks: Promise<readonly FailedCheck[]> } | undefined;
  let logged = "";

  /** Logs each change once: probes come often. */
  function log(findings: readonly Finding[]): void {
    const failed = findings.map(toFailedCheck);
    const said = failed.map(({ code, isFatal }) => `${code} ${isFatal}`).join();
    if (said === logged) return;
    logged = said;
    const isFatal = failed.some((one) => one.isFatal);
    if (findings.length === 0) logger.info("ready: what was wrong is over");
    else logger.warn({ found: findings }, isFatal ? "not ready" : "ready, but something is wrong");
  }

  async function findFailedChecks(): Promise<readonly FailedCheck[]> {
    const findings = await runChecks();
    log(findings);
    return findings.map(toFailedCheck);
  }

  return {
    start() {
      isStarted = true;
    },
    async check() {
      if (!isStarted) return [toFailedCheck({ code: "starting", detail: "" })];
      const now = performance.now();
      if (!cached || now - cached.at >= CACHED_MS) cached = { at: now, failedChecks: findFailedChecks() };
      return await cached.failedChecks;
    },
  };
}
