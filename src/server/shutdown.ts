// Stops the process: the first SIGTERM or SIGINT asks it to finish the work in flight, a second one ends it at once.
import type { FastifyBaseLogger } from "fastify";

const STOP_SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;
/** npm forwards a terminal's Ctrl-C although it reaches the process anyway, so two signals within this time count as one. */
const SAME_KEY_MS = 250;
/** The time for requests in flight to finish; afterwards their connections are closed. */
export const GRACE_MS = 7_000;
const DEADLINE_MS = 9_500;

export interface StopRequest {
  /** Resolves to the exit code when the process is asked to stop. */
  readonly exitCode: Promise<number>;
  /** Asks the process to stop, from inside. */
  ask(exitCode: number): void;
}

/** Handles the signals from now on. */
export function awaitStop(): StopRequest {
  let askedAt: number | undefined;
  const { promise, resolve } = Promise.withResolvers<number>();
  function ask(exitCode: number): void {
    if (askedAt !== undefined) return;
    askedAt = performance.now();
    // A hanging client or disk must not keep the process alive.
    setTimeout(() => process.exit(1), DEADLINE_MS).unref();
    resolve(exitCode);
  }
  for (const [signal, exitCode] of Object.entries(STOP_SIGNALS)) {
    process.on(signal, () => {
      if (askedAt !== undefined && performance.now() - askedAt > SAME_KEY_MS) process.exit(exitCode);
      ask(0);
    });
  }
  return { exitCode: promise, ask };
}

/**
 * Handles SIGHUP, by which supervisors say that files have changed. A terminal that closes sends it too, and then the process stops.
 */
export function onHangUp(
  stop: StopRequest,
  logger: Pick<FastifyBaseLogger, "info" | "error">,
  renew: () => boolean,
): void {
  process.on("SIGHUP", () => {
    if (process.stdin.isTTY) return stop.ask(0);
    try {
      logger.info(renew() ? "SIGHUP: the database's URL has changed" : "SIGHUP: the database's URL is as it was");
    } catch (error) {
      logger.error({ err: error }, "SIGHUP: the database's URL cannot be read, and stays as it was");
    }
  });
}
