// Whatever the console does can be done with curl: each call of its pages is in the public API's description.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "console");

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** `GET /v2/teams/:teamId` of everything in openapi.json. */
function describedCalls(): Set<string> {
  const { paths } = JSON.parse(readFileSync(join(ROOT, "openapi.json"), "utf8")) as Described;
  return new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
    ),
  );
}

// docs/ is the script of the documentation, which calls nothing.
const sources = globSync("**/*.{ts,tsx}", { cwd: FOLDER, exclude: ["docs/**"] }).map((file) => ({
  file,
  text: readFileSync(join(FOLDER, file), "utf8"),
}));

test("every call of the console is in openapi.json", () => {
  const described = describedCalls();
  const calls = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/"((?:GET|POST|PUT|PATCH|DELETE) \/[^"]+)"/g)].map(([, call = ""]) => ({ file, call })),
  );
  assert.ok(calls.length > 40, `${calls.length} calls`);
  assert.deepEqual(
    calls.filter(({ call }) => !described.has(call)),
    [],
  );
});

test("the console asks the server through the client, but for early reads, what its reference tries and the form of a proof", () => {
  const asks = /\b(?:fetch\(|XMLHttpRequest|EventSource|WebSocket|sendBeacon)/;
  // The text of snippets.ts has examples that people copy.
  const asking = sources.filter(({ file, text }) => asks.test(text) && file !== "pages/api/snippets.ts");
  assert.deepEqual(asking.map(({ file }) => file).toSorted(), ["api/early.ts", "pages/api/send.ts", "parts/prove.tsx"]);
});
