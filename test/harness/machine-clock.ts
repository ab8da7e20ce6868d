// Another clock of the machine for one process, by Debian's libfaketime. Timers do not go by that clock, and stay as they are.
import { globSync } from "node:fs";

/**
 * Variables with which a process takes the machine's clock from a file, which it reads once a second: `+90s` is that much ahead, and
 * `+0 x60` as many times as fast.
 */
export function useClock(file: string): Readonly<Record<string, string>> {
  const [library] = globSync("/usr/lib/*/faketime/libfaketimeMT.so.1");
  if (library === undefined)
    throw new Error("libfaketime is missing: install Debian's package faketime, as .ci/run does");
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
}
