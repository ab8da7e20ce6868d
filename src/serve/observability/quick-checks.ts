// The checks of `reeve doctor` that cost nothing, for the report to administrators, too.
import type { FastifyBaseLogger } from "fastify";
import { currentProcess } from "../../platform/kernel/settings/current-process.ts";
import type { Finding } from "../../platform/outcomes/finding.ts";
import type { Settings } from "../config/config.ts";
import { listWithoutEffect } from "../config/database-url.ts";
import { freeBytes } from "../../platform/store/sqlite/file.ts";

const MIB = 1_048_576;
/** Without REEVE_DISK_RESERVE, a disk with less is called full. */
const LEAST_MIB = 64;
const AMPLE_MIB = 512;

export interface DiskSpace {
  readonly freeMib: number;
  /** Changes that add data are refused; see disk-reserve.ts. */
  readonly isReserved: boolean;
  /** Below twice what is to be left. */
  readonly isScarce: boolean;
  /** An operator has time to make room. */
  readonly isAmple: boolean;
}

/** The disk of the embedded store. */
export function lookAtDisk({ dataDir, diskReserve }: Settings): DiskSpace {
  const free = freeBytes(dataDir) / MIB;
  const scarce = diskReserve === 0 ? LEAST_MIB : 2 * diskReserve;
  return {
    freeMib: Math.floor(free),
    isReserved: free < diskReserve,
    isScarce: free < scarce,
    isAmple: free >= Math.max(scarce, AMPLE_MIB),
  };
}

export function examineSettings(settings: Settings): Finding {
  const isExposed = settings.host !== "127.0.0.1" && settings.host !== "::1" && settings.host !== "localhost";
  if (isExposed && !settings.publicUrl?.startsWith("https:")) {
    return {
      check: "settings",
      status: "warning",
      detail: `listens on ${settings.host}, and REEVE_PUBLIC_URL is no https URL`,
      advice:
        "credentials cross the network in the clear: put a TLS proxy in front and set REEVE_PUBLIC_URL to its URL",
    };
  }
  return { check: "settings", status: "ok", detail: "all are known and valid" };
}

/** Variables of libpq that an operator has set in vain. */
export function examineVariables({ databaseUrl }: Settings): readonly Finding[] {
  const ignored = databaseUrl === null ? [] : listWithoutEffect(currentProcess().env);
  if (ignored.length === 0) return [];
  const detail = `of no effect on the connection to PostgreSQL: ${ignored.join(", ")}`;
  const advice = "unset them; /docs/postgresql lists the variables and the parameters of the URL that have one";
  return [{ check: "variables", status: "warning", detail, advice }];
}

export function warnOfVariables(settings: Settings, logger: Pick<FastifyBaseLogger, "warn">): void {
  for (const { detail, advice } of examineVariables(settings)) logger.warn({ advice }, detail);
}

export function examineDisk(settings: Settings): Finding {
  const { dataDir, diskReserve } = settings;
  const { freeMib, isReserved, isScarce, isAmple } = lookAtDisk(settings);
  const advice = `make room on the disk of ${dataDir}`;
  if (isReserved) {
    const detail = `${freeMib} MiB free, and REEVE_DISK_RESERVE leaves ${diskReserve}: changes that add data are refused`;
    return { check: "disk", status: "fault", detail, advice };
  }
  const detail = `${freeMib} MiB free`;
  if (isAmple) return { check: "disk", status: "ok", detail };
  return { check: "disk", status: isScarce && diskReserve === 0 ? "fault" : "warning", detail, advice };
}
