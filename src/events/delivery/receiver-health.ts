// The health of one webhook's receiver, as the process knows it that has leased the webhook.
import { coolDownAfter } from "./delivery-schedule.ts";

export class ReceiverHealth {
  /** In a row. */
  failures: number;
  /** Since when every attempt has failed; null: the last one succeeded. */
  failingSince: number | null;
  /** The last response took long, or an attempt has been in flight for long. */
  isSlow = false;

  constructor({ failures, failingSince }: { readonly failures: number; readonly failingSince: number | null }) {
    this.failures = failures;
    this.failingSince = failingSince;
  }

  get isFailing(): boolean {
    return this.failures > 0;
  }

  succeed(): void {
    this.failures = 0;
    this.failingSince = null;
  }

  /**
   * An attempt failed at `now` that began after so many failures. Returns for how long the receiver cools down (ms). Failures of
   * attempts that were in flight together count once: they show no more than one does.
   */
  fail(failuresBefore: number, now: number): number {
    this.failingSince ??= now;
    if (failuresBefore < this.failures) return 0;
    this.failures++;
    return coolDownAfter(this.failures);
  }
}
