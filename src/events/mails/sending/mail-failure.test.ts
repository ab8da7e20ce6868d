import assert from "node:assert/strict";
import { test } from "node:test";
import { explainMailFailure } from "./mail-failure.ts";

function failure(code: string, command: string, response?: string) {
  const responseCode = response === undefined ? undefined : Number(response.slice(0, 3));
  return Object.assign(new Error(response), { code, command, responseCode, response });
}

test("only refusals of the recipient or the message are final", () => {
  const cases = [
    [failure("EENVELOPE", "RCPT TO", "550 5.1.1 no such mailbox"), true],
    [failure("EMESSAGE", "DATA", "554 5.6.0 unacceptable"), true],
    [failure("EENVELOPE", "API"), true],
    [failure("EENVELOPE", "RCPT TO", "451 4.7.1 greylisted"), false],
    [failure("EENVELOPE", "RCPT TO", "503 5.5.1 bad sequence"), false],
    [failure("EENVELOPE", "MAIL FROM", "553 5.1.8 sender refused"), false],
    [failure("EAUTH", "AUTH PLAIN", "535 5.7.8 wrong password"), false],
    [failure("ESOCKET", "CONN"), false],
    [new Error("out of memory"), false],
  ] as const;
  for (const [error, isFinal] of cases) assert.equal(explainMailFailure(error).isFinal, isFinal, error.message);
});

test("the logged reason of a failure does not contain the server's text", () => {
  const refusal = failure("EENVELOPE", "RCPT TO", "550-5.1.1 <someone@example.com> is unknown");
  assert.deepEqual(explainMailFailure(refusal).reason, {
    code: "EENVELOPE",
    command: "RCPT TO",
    response: "550 5.1.1",
  });
  assert.deepEqual(explainMailFailure(new Error("someone@example.com")).reason, {});
});
