// Requests and responses have one form each. What differs is named here and in docs/api.md; a new operation does not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CONTRACTS } from "../../src/contracts.ts";
import { FORMS, OTHER_CONFLICTS, callOf } from "../../tools/api-forms.ts";
import { startTestApp } from "../harness/test-app.ts";

const OWN = CONTRACTS.flatMap((contract) => Object.values(contract)).filter(({ aliases = [] }) => aliases.length === 0);

/** Operations that no existing client calls, and that are older than the form. */
const DIFFERENT: Readonly<Record<string, readonly string[]>> = {
  "one object": [
    "POST /v1/environments/{project}",
    "GET /v1/environments/{project}/{environment}",
    "PATCH /v1/environments/{project}/{environment}",
    "GET /v1/environments/{project}/{environment}/versions/{version}",
    // As its neighbours, which existing clients call.
    "GET /v1/projects/{idOrName}/env/{id}",
    "POST /v1/webhooks/{webhookId}/rotate-secret",
    "POST /v1/events",
  ],
  "what was deleted": [
    // These end no object with an id.
    "DELETE /v1/sessions",
    "DELETE /v1/user/password",
    "DELETE /v1/environments/{project}/{environment}",
    "DELETE /v1/projects/{idOrName}/env",
  ],
  "several values of a parameter": ["GET /alerts/v3/groups"],
};

for (const { form, differs } of FORMS) {
  test(`own operations have one form of ${form}`, () => {
    assert.deepEqual(OWN.filter(differs).map(callOf), DIFFERENT[form] ?? []);
  });
}

test("a conflict is 409, but for what existing clients know as 400", () => {
  assert.deepEqual(OTHER_CONFLICTS, ["already_member", "already_invited", "already_requested", "already_confirmed"]);
});

const api = await startTestApp();
const { token } = await api.createUser();

test("several values are separated by commas or repeated", async () => {
  const create = async (name: string) =>
    (await api.request("POST", "/v2/secrets", { token, body: { name, value: "x" } })).body.uid as string;
  const [one, two] = [await create("ONE"), await create("TWO")];
  for (const query of [`id=${one},${two}`, `id=${one}&id=${two}`]) {
    const { body, text } = await api.request("GET", `/v2/secrets?${query}`, { token });
    assert.equal(body.secrets.length, 2, text);
  }
  for (const query of ["types=secret-add,secret-delete", "types=secret-add&types=secret-delete"]) {
    const { body, text } = await api.request("GET", `/v3/events?${query}`, { token });
    assert.equal(body.events.length, 2, text);
  }
  const twice = await api.request("GET", "/v2/secrets?sort=name&sort=name", { token });
  assert.deepEqual([twice.status, twice.body.error.expected], [400, "once"]);
});

test("a change that is no POST says that it ignores an idempotency key", async () => {
  const headers = { "idempotency-key": "a-key" };
  const send = async (method: string, path: string, body?: object) =>
    (await api.request(method, path, { token, headers, ...(body && { body }) })).headers["idempotency-ignored"];
  assert.equal(await send("PATCH", "/v2/user", { name: "A" }), "true");
  assert.equal(await send("POST", "/v2/secrets", { name: "THREE", value: "x" }), undefined);
  assert.equal(await send("DELETE", "/v2/secrets/THREE"), "true");
  assert.equal(await send("GET", "/v2/user"), undefined);
});
