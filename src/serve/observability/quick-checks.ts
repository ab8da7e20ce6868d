// The checks of `reeve doctor` that cost nothing, for the report to administrators, too.
import type { Finding } from "../../platform/outcomes/finding.ts";
import type { Settings } from "../config/config.ts";
import { freeBytes } from "../../platform/store/sqlite/file.ts";
import { FULL_BYTES } from "./run-checks.ts";

const MIB = 1_048_576;
const SCARCE_BYTES = 512 * MIB;

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

export function examineDisk({ dataDir }: Settings): Finding {
  const free = freeBytes(dataDir);
  const detail = `${Math.floor(free / MIB)} MiB free`;
  if (free >= SCARCE_BYTES) return { check: "disk", status: "ok", detail };
  const status = free < FULL_BYTES ? "fault" : "warning";
  return { check: "disk", status, detail, advice: `make room on the disk of ${dataDir}` };
}
