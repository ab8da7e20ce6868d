// How the process ends: the first SIGTERM or SIGINT asks it to finish the work in flight, a second one ends it at once.

const STOP_SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;
/** npm forwards a terminal's Ctrl-C that reaches the process anyway: two signals within this time are one key press. */
const SAME_KEY_MS = 250;
/** The time that requests in flight have; then their connections are cut. */
export const GRACE_MS = 7_000;
const DEADLINE_MS = 9_500;

export interface StopRequest {
  /** Resolves to the exit code once the process has been asked to stop. */
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
    // A client or a disk that hangs must not keep the process alive.
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
