// What every error of the API says beside what its test is about.
import assert from "node:assert/strict";

interface ErrorBody {
  error?: { readonly code?: unknown; readonly requestId?: unknown; readonly docs?: unknown };
}

/**
 * Takes the id of the request and the place where its code is explained out of an error: they are there, and tests compare the rest.
 * `requestId` is that of the response's headers; null: they have the client's.
 */
export function takeAbout(body: ErrorBody | null, requestId: unknown): void {
  if (typeof body?.error?.code !== "string") return;
  const { requestId: said, docs, ...error } = body.error;
  assert.match(String(said), /^req_/);
  if (requestId !== null) assert.equal(said, requestId);
  assert.match(String(docs), new RegExp(`/docs/errors#${error.code as string}$`));
  body.error = error;
}
