// The API's document: what it has of each endpoint, and in how many bytes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import { CONTRACTS } from "../../contracts.ts";
import type { Endpoint } from "../../platform/kernel/contract.ts";
import { PUBLIC_ENDPOINTS } from "../../platform/http/public-endpoints.ts";
import { templatePath } from "../../platform/operations/endpoint-details.ts";

const { request } = await startTestApp();
const open = { token: null };
const endpoints: readonly (readonly [string, Endpoint])[] = CONTRACTS.flatMap((contract) => Object.entries(contract));

test("the document has every endpoint once, and its further paths on request", async () => {
  const { body: short } = await request("GET", "/openapi.json", open);
  const { body: whole } = await request("GET", "/openapi.json?aliases=true", open);
  const paths = Object.values(short.paths).flatMap((item) => Object.keys(item as object));
  assert.equal(paths.length, endpoints.length + PUBLIC_ENDPOINTS.length);
  for (const [id, { method, path, aliases = [] }] of endpoints) {
    const { operationId, "x-aliases": listed = [] } = short.paths[templatePath(path)][method.toLowerCase()];
    assert.deepEqual([operationId, listed], [id, aliases.map(templatePath)]);
    for (const alias of aliases) {
      const { "x-alias-of": of, deprecated } = whole.paths[templatePath(alias)][method.toLowerCase()];
      assert.deepEqual([of, deprecated], [id, true]);
    }
  }
});

/** Responses without an example, by the reason. */
const WITHOUT_EXAMPLE: Readonly<Record<string, string>> = {
  getOpenApi: "it is this document, which can't contain itself",
};

/** Bytes; a tool downloads it, and a model reads it. */
const MOST_BYTES = 600_000;

test("the document is small enough, and says of each response and error what it is", async () => {
  const { body, text: document } = await request("GET", "/openapi.json", open);
  assert.ok(Buffer.byteLength(document) <= MOST_BYTES, `${Buffer.byteLength(document)} bytes`);
  const all = [
    ...endpoints.map(([id, { method, path, status = 200 }]) => ({ id, method, path: templatePath(path), status })),
    ...PUBLIC_ENDPOINTS.map(({ id, method, path }) => ({ id, method, path, status: 200 })),
  ];
  const without: string[] = [];
  for (const { id, method, path, status } of all) {
    const { description, content = {} } = body.paths[path][method.toLowerCase()].responses[status];
    assert.match(description, /^[A-Z`].+[.]$/, id);
    const { "application/json": json } = content;
    if (json && json.example === undefined) without.push(id);
  }
  assert.deepEqual(without, Object.keys(WITHOUT_EXAMPLE));
});

test("every reference in the document leads somewhere, and no two operations have one id", async () => {
  const { status, body, headers } = await request("GET", "/openapi.json?aliases=true", open);
  assert.equal(status, 200);
  assert.equal(headers["content-type"], "application/json; charset=utf-8");
  const references = [...JSON.stringify(body).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, pointer = ""]) => pointer);
  assert.ok(references.length > 0);
  for (const pointer of references) {
    assert.ok(
      pointer.split("/").reduce((at, part) => at?.[part], body),
      pointer,
    );
  }
  const ids = Object.values(body.paths).flatMap((item) =>
    Object.values(item as Record<string, { operationId: string }>).map(({ operationId }) => operationId),
  );
  assert.equal(new Set(ids).size, ids.length);
});

test("a nullable enum is a union with null, and its values have one type", async () => {
  const { text: document } = await request("GET", "/openapi.json", open);
  const lists: { type: unknown; enum: unknown[] }[] = [];
  let beside = 0;
  JSON.parse(document, (_key, value) => {
    if (Array.isArray(value?.enum)) lists.push(value);
    if (value?.anyOf?.some?.(({ enum: list }: { enum?: unknown }) => Array.isArray(list))) {
      if (value.anyOf.some(({ type }: { type?: unknown }) => type === "null")) beside++;
    }
    return value as unknown;
  });
  assert.ok(lists.length > 0 && beside > 0);
  for (const { type, enum: list } of lists) {
    assert.equal(typeof type, "string", JSON.stringify(list));
    assert.ok(!list.includes(null), JSON.stringify(list));
  }
});
