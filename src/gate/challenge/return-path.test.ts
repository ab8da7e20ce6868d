// Where people go after the challenge: never to another origin, and never in a circle.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readReturn, refererPath, safePath } from "./return-path.ts";
import { challengeUrl, continueUrl, waitUrl } from "./routes.ts";

const ORIGIN = "https://shop.example";

test("paths of this origin are kept as they are", () => {
  for (const path of [
    "/",
    "/cart",
    "/cart?item=1&next=//x",
    "/a//b",
    "/proxy/https://x/",
    "/%2F%5C",
    "/a%20b?q=%C3%BC",
  ]) {
    assert.equal(safePath(path), path);
    assert.equal(readReturn(`return=${encodeURIComponent(path)}`), path);
    assert.equal(readReturn(`return=${path}`), path);
    for (const url of [challengeUrl(path, { id: "d" }), waitUrl("t", path), continueUrl(path)]) {
      assert.equal(readReturn(url.slice(url.indexOf("?") + 1)), path);
    }
  }
});

test("anything else leads to the start page", () => {
  for (const path of [
    "",
    "cart",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "\t//evil.example",
    " //evil.example",
    "/.//evil.example",
    "/./\\evil.example",
    "/a/..//evil.example",
    "/%2e//evil.example",
    "https://evil.example",
    "https:evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "/cart\r\nset-cookie: a=b",
    "/cart\0",
    "/ü",
    "/a b",
    `/${"a".repeat(5_000)}`,
    "/.well-known/reeve/challenge",
    "/.well-known/reeve/challenge/wait?token=x",
    "/x/../.well-known/reeve/challenge?return=/",
  ]) {
    assert.equal(safePath(path), "/", JSON.stringify(path));
    assert.equal(readReturn(`return=${encodeURIComponent(path)}`), "/", JSON.stringify(path));
  }
  for (const query of ["", "x=1", "return", "return=", "areturn=/cart", "return=%", "return=%ff%fe", "return=%2"]) {
    assert.equal(readReturn(query), "/", query);
  }
});

test("no text leads to another origin", () => {
  const unit = fc.constantFrom(
    ...Array.from("/\\.:@%?#&=ax25fFcC \t\n\r\0"),
    "evil.example",
    "javascript:",
    "%2f",
    "%5c",
    "%09",
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
      for (const path of [safePath(text), safePath(`/${text}`), readReturn(`return=${text}`), readReturn(text)]) {
        const url = new URL(path, ORIGIN);
        assert.equal(url.origin, ORIGIN);
        // Also after a proxy has written out what it understands.
        assert.equal(new URL(url.pathname + url.search, ORIGIN).origin, ORIGIN);
      }
    }),
    { numRuns: 5_000 },
  );
});

test("the page that a request came from counts if it is one of this origin", () => {
  assert.equal(refererPath("https://shop.example/form?x=1#y", ORIGIN), "/form?x=1");
  for (const referer of [
    undefined,
    "",
    "about:blank",
    "https://evil.example/form",
    "http://shop.example/form",
    "https://shop.example//evil.example",
  ]) {
    assert.equal(refererPath(referer, ORIGIN), "/");
  }
});
