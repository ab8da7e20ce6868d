import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { threadMs } from "../../../test/harness/thread-time.ts";
import { decodeBody } from "./decode-body.ts";

function read(contentType: string | undefined, body: string | Uint8Array, contentEncoding?: string) {
  const { values, problem } = decodeBody({ contentType, contentEncoding }, body);
  return problem ?? values;
}

const lines = (text: string) => text.replaceAll("\n", "\r\n");
const field = (name: string, content: string) => `--b\nContent-Disposition: form-data; name="${name}"\n\n${content}\n`;
const multipart = (text: string) => read("multipart/form-data; boundary=b", lines(text));

describe("a body", () => {
  it("of JSON has its values at the names that lead to them, decoded", () => {
    const body = String.raw`{"a":"\u0061dmin", "b":{"c":[1, {"d":true}, "e"], "f":null}, "g":[], "h":-1.5e3, "":"x"}`;
    assert.deepEqual(read("application/json; charset=UTF-8", body), [
      ["a", "admin"],
      ["b.c", "1"],
      ["b.c.d", "true"],
      ["b.c", "e"],
      ["b.f", "null"],
      ["h", "-1.5e3"],
      ["", "x"],
    ]);
    assert.deepEqual(read("application/vnd.api+json", '["<", "\\u003c\\"}"]'), [
      ["", "<"],
      ["", '<"}'],
    ]);
    assert.deepEqual(read("application/json", "\ufeff 5 "), [["", "5"]]);
  });

  it("of JSON has both values of a member that is there twice", () => {
    assert.deepEqual(read("application/json", '{"role":"user","r\\u006fle":"admin"}'), [
      ["role", "user"],
      ["role", "admin"],
    ]);
  });

  it("of a form is decoded as a query is", () => {
    assert.deepEqual(read("application/x-www-form-urlencoded", "a=%3Cb%3E&c=1+2&a=&d&&%61=%E2%82%AC%21%20x"), [
      ["a", "<b>"],
      ["c", "1 2"],
      ["a", ""],
      ["d", ""],
      ["a", "€! x"],
    ]);
  });

  it("of parts has fields, names of files, and what files hold that are text", () => {
    const file = (content: string) =>
      `--b\nContent-Disposition: form-data; name="f"; filename="a \\"b\\".php"\nContent-Type: x/y\n\n${content}\n`;
    assert.deepEqual(multipart(`${field("a", "one\ntwo")}${file("<?php")}${field("a", "")}--b--\n`), [
      ["a", "one\r\ntwo"],
      ["f.filename", 'a "b".php'],
      ["f", "<?php"],
      ["a", ""],
    ]);
    assert.deepEqual(multipart(`${file("PNG\0")}--b--`), [["f.filename", 'a "b".php']]);
    assert.deepEqual(multipart("--b--"), []);
  });

  it("of XML has texts and attributes at the names of their elements", () => {
    const body = `<?xml version="1.0"?><o:order xmlns:o="urn:o" id="1"><!-- no --><item> a&#x3c;b </item><![CDATA[raw <x>]]></o:order>`;
    assert.deepEqual(read("text/xml", body), [
      ["order.@o", "urn:o"],
      ["order.@id", "1"],
      ["order.item", "a<b"],
      ["order", "raw <x>"],
    ]);
  });

  it("of another type is one value without a name", () => {
    assert.deepEqual(read("text/plain", "hello"), [["", "hello"]]);
    assert.deepEqual(read(undefined, "hello"), [["", "hello"]]);
    assert.deepEqual(read("text/plain; charset=latin1", Uint8Array.of(0xe4)), [["", "ä"]]);
    assert.deepEqual(read("application/json", ""), []);
  });

  it("that can be read in more than one way, or not at all, has none", () => {
    const undecodable: readonly (readonly [type: string, body: string | Uint8Array, encoding?: string])[] = [
      ["application/json", "{a:1}"],
      ["application/json", '{"a":1}x'],
      ["application/json", "{}", "gzip"],
      ["application/json; charset=utf-16", "{}"],
      ["application/json", `${"[".repeat(65)}${"]".repeat(65)}`],
      ["application/json", `{"${"x".repeat(600)}":1}`],
      ["text/plain; charset=utf-7", "+ADw-"],
      ["text/plain; charset=utf-8; charset=latin1", "x"],
      ["text/plain", Uint8Array.of(0xff)],
      ["no type at all!", "x"],
      ["text/xml", "<a>"],
      ["text/xml", '<a b="1" b="2"/>'],
      ["text/xml", "<a>&other;</a>"],
      ["text/xml", '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'],
      ["multipart/form-data", "--b--"],
    ];
    for (const [type, body, encoding] of undecodable) {
      assert.equal(read(type, body, encoding), "undecodable", `${type}: ${String(body).slice(0, 40)}`);
    }
    for (const text of [
      `before\n${field("a", "x")}--b--`,
      `${field("a", "x")}--b--\nafter`,
      field("a", "x"),
      '--b\nContent-Disposition: form-data; name="a"\n\n--b--',
      '--b\nContent-Disposition: form-data; name="a"; name="b"\n\nx\n--b--',
      "--b\nContent-Disposition: form-data; name=\"a\"; filename*=UTF-8''x\n\nx\n--b--",
      '--b\nContent-Disposition: form-data; name="a"\nContent-Transfer-Encoding: base64\n\neA==\n--b--',
      '--b\nContent-Disposition: form-data; name="a"\nContent-Disposition: form-data; name="c"\n\nx\n--b--',
      "--b\n\nx\n--b--",
    ]) {
      assert.equal(multipart(text), "undecodable", text);
    }
    assert.equal(read("multipart/form-data; boundary=b", `${field("a", "x")}--b--`), "undecodable", "bare line feeds");
  });

  it("that holds NUL, however it is written, has none", () => {
    assert.equal(read("application/json", String.raw`{"a":"x\u0000y"}`), "nul");
    assert.equal(read("application/x-www-form-urlencoded", "a=%00"), "nul");
    assert.equal(read("text/plain", "a\0b"), "nul");
    assert.equal(multipart(`${field("a", "x\0")}--b--`), "nul");
  });

  it("of 64 KB that was made to be slow takes time in proportion to its size", () => {
    const size = 65_536;
    const hostile: readonly (readonly [type: string, body: string])[] = [
      ["application/json", `[${"0,".repeat(size / 2 - 1)}0]`],
      ["application/json", `{"${"x".repeat(500)}":[${"0,".repeat(size / 2 - 600)}0]}`],
      ["application/json", `"${"\\u0061".repeat(size / 6)}"`],
      ["application/json", "[".repeat(size)],
      ["application/x-www-form-urlencoded", "%e2%82&".repeat(size / 7)],
      ["application/x-www-form-urlencoded", "a&".repeat(size / 2)],
      ["text/xml", `<a>${"<b c='d'/>".repeat(size / 10)}</a>`],
      ["text/xml", `<a>${"&lt;".repeat(size / 4)}</a>`],
      ["text/xml", `<a ${"<".repeat(size)}`],
      ["multipart/form-data; boundary=b", lines(field("a", "\n--").repeat(800))],
      ["multipart/form-data; boundary=b", lines(field("a", "\n--b".repeat(1)) + "\r\n--".repeat(size / 4))],
      [`text/plain; ${'a="'.repeat(5_000)}`, "x"],
    ];
    for (const [contentType, body] of hostile) {
      const ms = threadMs(() => void decodeBody({ contentType, contentEncoding: undefined }, body));
      assert.ok(ms < 200, `${contentType.slice(0, 40)} ${body.slice(0, 20)}: ${ms} ms`);
    }
  });
});
