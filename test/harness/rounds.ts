// Housekeeping goes round every minute by the machine's clock. On a slow machine that is at any moment of a test, whose own clock has
// moved by days: so in tests these rounds do not come. A test runs the jobs itself.
import { MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";

/** The longest that a timer can wait. */
const NEVER_MS = 2 ** 31 - 1;

/** From now on, what is to be done every minute is not. A test that doubles the timers afterwards has it done by them. */
export function holdMinuteRounds(): void {
  const { setInterval } = globalThis;
  globalThis.setInterval = Object.assign(
    (run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) =>
      setInterval(run, ms === MINUTE_MS ? NEVER_MS : ms, ...given),
    setInterval,
  );
}
