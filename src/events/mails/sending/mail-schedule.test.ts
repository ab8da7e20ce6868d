import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../platform/kernel/scheduling/clock.ts";
import { nextAttemptAt } from "./mail-schedule.ts";

const MIDDLE = 0.5;

test("attempts come at growing intervals, up to a day apart", () => {
  const delays = [1, 2, 3, 4, 5, 6, 7].map((attempts) => nextAttemptAt({ attempts, createdAt: 0 }, 0, MIDDLE));
  const expected = [30 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 8 * HOUR_MS, DAY_MS, DAY_MS];
  assert.deepEqual(delays, expected);
});

test("the retries of mails that failed together are spread by a fifth in both directions", () => {
  const mail = { attempts: 2, createdAt: 0 };
  assert.equal(nextAttemptAt(mail, 0, 0), 4 * MINUTE_MS);
  assert.equal(nextAttemptAt(mail, 0, 1), 6 * MINUTE_MS);
});

test("a mail is given up when its next attempt would be more than five days after it was queued", () => {
  const mail = { attempts: 9, createdAt: 1000 };
  assert.equal(nextAttemptAt(mail, 1000 + 4 * DAY_MS, MIDDLE), 1000 + 5 * DAY_MS);
  assert.equal(nextAttemptAt(mail, 1001 + 4 * DAY_MS, MIDDLE), null);
});
