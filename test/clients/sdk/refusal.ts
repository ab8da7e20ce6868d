// How each release of the SDK reports what the server refused.
import assert from "node:assert/strict";
import type { Body } from "../../harness/test-app.ts";

/** Whether an error of any release has this status and this error code. */
export function refusedWith(status: number, code?: string): (error: Body) => boolean {
  return (error) => {
    const raw = error.rawResponse ?? error.httpMeta?.response;
    assert.equal(error.statusCode ?? raw?.status ?? error.status, status, String(error.stack));
    if (code !== undefined) {
      const told = error.error?.code ?? (error.body ? JSON.parse(error.body).error.code : undefined);
      assert.equal(told, code);
    }
    return true;
  };
}
