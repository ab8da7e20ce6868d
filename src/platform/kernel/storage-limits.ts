// What one account or team may store, as data. Kinds without an entry have bounds of their own, or grow no faster than the rate limit allows:
// docs/limits.md lists all of them.
import { ApiError } from "./errors.ts";

interface StorageLimit {
  /** By default. */
  readonly most: number;
  readonly help: string;
}

/** Values of secrets that are not above it do not count as bytes: the number of secrets limits them. The triggers of stores have it too. */
export const LARGE_VALUE = 4_096;

export const STORAGE_LIMITS = {
  teams: { most: 100, help: "teams that one account has made" },
  projects: { most: 1_000, help: "projects of a team or account" },
  secrets: { most: 20_000, help: "secrets of a team or account, deleted ones included until they are purged" },
  "secrets-mib": { most: 256, help: "MiB of secrets' values of more than 4 KiB, with their versions" },
  "api-keys": { most: 1_000, help: "API keys of a team or account that somebody made" },
  versions: { most: 100, help: "versions of a project's firewall; an older one makes room" },
  "history-mib": {
    most: 64,
    help: "MiB of all versions of firewalls, and as many of environments; older ones make room",
  },
  samples: { most: 20_000, help: "samples of decisions of a team or account; older ones make room" },
} as const satisfies Readonly<Record<string, StorageLimit>>;

export type StorageLimitName = keyof typeof STORAGE_LIMITS;
export type StorageLimits = Readonly<Record<StorageLimitName, number>>;

const SETTING = "REEVE_STORAGE_LIMITS";

/** The refusal of what would be one too many. */
export function limitReached(limits: StorageLimits, name: StorageLimitName, advice: string): ApiError {
  const most = limits[name];
  const message = `Expected at most ${most} ${STORAGE_LIMITS[name].help}: ${advice}, or have ${SETTING} raised (${name}=${most})`;
  return new ApiError("limit_reached", message, { limit: name, most });
}
