import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodePercent } from "./percent.ts";
import { hostOf, normalisePath, splitUrl } from "./url.ts";

describe("a URL", () => {
  it("is split as docs/firewall.md specifies", () => {
    const table: [string, string | undefined, string | undefined, string, string | undefined][] = [
      ["https://example.com/a?b=c#d", "https", "example.com", "/a", "b=c"],
      ["HTTP://u:p@h:80", "http", "u:p@h:80", "/", undefined],
      ["h+t.p-1://x?y/z", "h+t.p-1", "x", "/", "y/z"],
      ["/a?b?c", undefined, undefined, "/a", "b?c"],
      ["a/b?c", undefined, undefined, "/b", "c"],
      ["//evil.com/a", undefined, undefined, "//evil.com/a", undefined],
      ["1http://x/y", undefined, undefined, "//x/y", undefined],
      ["", undefined, undefined, "/", undefined],
      ["#/a?b", undefined, undefined, "/", undefined],
      ["?a#?b", undefined, undefined, "/", "a"],
      ["*", undefined, undefined, "/", undefined],
      ["://a", undefined, undefined, "//a", undefined],
      ["\\a/b", undefined, undefined, "\\a/b", undefined],
      ["https://h\\a/b?c", "https", "h", "\\a/b", "c"],
      ["https:\\\\h/a", "https", "h", "/a", undefined],
    ];
    for (const [url, scheme, authority, rawPath, query] of table) {
      assert.deepEqual(splitUrl(url), { scheme, authority, rawPath, query }, url);
    }
  });

  it("is decoded once, as UTF-8", () => {
    for (const [text, decoded] of [
      ["/plain", "/plain"],
      ["/%61%2E%2f", "/a./"],
      ["%2561", "%61"],
      ["%", "%"],
      ["%4", "%4"],
      ["%zz%%41", "%zz%A"],
      ["%C3%A9é", "éé"],
      ["%C3é", "\ufffdé"],
      ["%C3/%A9", "\ufffd/\ufffd"],
      ["%EF%BB%BFa", "\ufeffa"],
      ["%F0%9F%98%80", "\u{1f600}"],
      ["%F0%9F%98", "\ufffd"],
      ["%ED%A0%80", "\ufffd\ufffd\ufffd"],
      ["%C0%AE", "\ufffd\ufffd"],
      ["%00", "\0"],
      ["+", "+"],
    ] as const) {
      assert.equal(decodePercent(text), decoded, text);
    }
  });

  it("has one normalised path, however it is written", () => {
    for (const [rawPath, path] of [
      ["/a/b/c/./../../g", "/a/g"],
      ["/a/../admin", "/admin"],
      ["/..", "/"],
      ["/.", "/"],
      ["/a/.", "/a/"],
      ["/a/..", "/"],
      ["/../../a", "/a"],
      ["/a//..", "/"],
      ["/a/...", "/a/..."],
      ["/.a/..b", "/.a/..b"],
      ["//../", "/"],
      ["//a", "/a"],
      ["/a//", "/a/"],
      ["\\a\\b", "/a/b"],
      ["/a;b/c;", "/a/c"],
      ["/;/..;", "/"],
      ["/%2525", "/%"],
      ["/%2%2541", "/*"],
      ["/%", "/%"],
      ["/%0 ", "/%0 "],
      ["/%x1%1x", "/%x1%1x"],
      ["/%2e%252e/%C3%25A9\u00e9", "/\u00e9\u00e9"],
    ] as const) {
      assert.equal(normalisePath(rawPath), path, rawPath);
    }
  });

  it("has a host without user, port and trailing dot", () => {
    for (const [authority, host] of [
      ["Example.COM", "example.com"],
      ["a.b:8080", "a.b"],
      ["a.b.:8080", "a.b"],
      ["a.b:", "a.b"],
      ["a.b..", "a.b."],
      ["user:pass@a@b:1", "b"],
      ["[::1]:80", "[::1]"],
      ["[::1]", "[::1]"],
      ["::1", "::1"],
      ["a:b", "a:b"],
      ["", undefined],
      [":80", undefined],
      [".", undefined],
      ["x@", undefined],
    ] as const) {
      assert.equal(hostOf(authority), host, authority);
    }
  });
});
