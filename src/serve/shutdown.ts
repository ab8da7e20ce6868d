// Stops the process. The first SIGTERM or SIGINT asks it to stop: it drains, then finishes the work in flight. The next one ends the
// drain, and one more ends the process at once.
import type { GateLog } from "../gate/gate-log.ts";
import { SECOND_MS } from "../platform/kernel/scheduling/clock.ts";
import { ConfigError } from "../platform/kernel/settings/setting-source.ts";
import { BAD_FILE_ADVICE } from "./config/config.ts";

const STOP_SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;
/** npm forwards a terminal's Ctrl-C although it reaches the process anyway, so two signals within this time count as one. */
export const SAME_KEY_MS = 250;
/** The time for requests in flight to finish; afterwards their connections are closed. */
export const GRACE_MS = 7_000;
const DEADLINE_MS = 9_500;

export interface StopRequest {
  /** Resolves to the exit code when the process is asked to stop. */
  readonly exitCode: Promise<number>;
  /** Asks the process to stop, from inside. */
  ask(exitCode: number): void;
  /** Resolves after so many seconds, or at a further signal. Call it once, after `exitCode`. */
  drain(seconds: number): Promise<void>;
}

/** Handles the signals from now on. */
export function awaitStop(): StopRequest {
  let signalledAt: number | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let endDrain: (() => void) | undefined;
  const { promise, resolve } = Promise.withResolvers<number>();

  /** A hanging client or disk must not keep the process alive. */
  function setDeadline(): void {
    deadline = setTimeout(() => process.exit(1), DEADLINE_MS).unref();
  }

  function ask(exitCode: number): void {
    if (signalledAt !== undefined) return;
    signalledAt = performance.now();
    setDeadline();
    resolve(exitCode);
  }

  for (const [signal, exitCode] of Object.entries(STOP_SIGNALS)) {
    process.on(signal, () => {
      if (signalledAt === undefined) return ask(0);
      if (performance.now() - signalledAt <= SAME_KEY_MS) return;
      if (!endDrain) process.exit(exitCode);
      signalledAt = performance.now();
      endDrain();
    });
  }

  return {
    exitCode: promise,
    ask,
    async drain(seconds) {
      if (seconds === 0) return;
      clearTimeout(deadline);
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((end) => {
        endDrain = end;
        timer = setTimeout(end, seconds * SECOND_MS);
      });
      clearTimeout(timer);
      endDrain = undefined;
      setDeadline();
    },
  };
}

/** Drains, after `announceStop` has made the health of the process say so, and logs both steps. */
export async function drain(
  stop: StopRequest,
  seconds: number,
  logger: Pick<GateLog, "info">,
  announceStop: () => void,
): Promise<void> {
  announceStop();
  if (seconds > 0) logger.info({ seconds }, "draining: serves on; a second signal ends this");
  await stop.drain(seconds);
  logger.info({}, "stopping: finishing the requests in flight");
}

/** A file that SIGHUP reads again. */
export interface RenewedFile {
  /** What the file holds, such as `the API key`. */
  readonly what: string;
  /** Reads it again and returns whether it has changed. What throws has changed nothing. */
  renew(): boolean | Promise<boolean>;
}

/**
 * Handles SIGHUP, by which supervisors say that files have changed. A terminal that closes sends it too, and then the process stops.
 * A signal that comes before the process has its files waits for them.
 */
export function onHangUp(
  stop: StopRequest,
  logger: Pick<GateLog, "info" | "error">,
  files: readonly RenewedFile[] | Promise<readonly RenewedFile[]>,
): void {
  async function renewAll(): Promise<void> {
    for (const { what, renew } of await files) {
      try {
        logger.info({}, `SIGHUP: ${what} ${(await renew()) ? "has changed" : "is as it was"}`);
      } catch (error) {
        const advice = error instanceof ConfigError ? { advice: BAD_FILE_ADVICE } : {};
        logger.error({ err: error, ...advice }, `SIGHUP: ${what} cannot be used, and stays as it was`);
      }
    }
  }
  let renewing = Promise.resolve();
  process.on("SIGHUP", () => {
    if (process.stdin.isTTY) return stop.ask(0);
    renewing = renewing.then(renewAll);
  });
}
