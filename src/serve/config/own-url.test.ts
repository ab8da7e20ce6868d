import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "./config.ts";
import { ownUrl } from "./own-url.ts";

test("links lead to the public URL, to localhost on a server's own machine, and nowhere when nobody has said where", () => {
  const cases: [Record<string, string>, string | null][] = [
    [{}, "http://localhost:4000"],
    [{ host: "::1", port: "8080" }, "http://localhost:8080"],
    [{ port: "0" }, null],
    [{ host: "0.0.0.0" }, null],
    [{ host: "0.0.0.0", publicUrl: "https://reeve.example.com/below" }, "https://reeve.example.com/below"],
  ];
  for (const [flags, url] of cases) assert.equal(ownUrl(readSettings(flags, {})), url, JSON.stringify(flags));
});
