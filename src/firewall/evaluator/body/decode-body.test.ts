import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodeBody } from "./decode-body.ts";

type Header = string | readonly string[] | undefined;

function read(contentType: Header, body: string | Uint8Array, contentEncoding?: Header) {
  const { values, problem } = decodeBody({ contentType, contentEncoding }, body);
  return problem?.kind ?? values;
}

function foundIn(contentType: Header, body: string | Uint8Array, contentEncoding?: Header) {
  return decodeBody({ contentType, contentEncoding }, body).problem?.found;
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
      ["h", "-1500"],
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
      ["f.filename", '".php'],
      ["f", "<?php"],
      ["a", ""],
    ]);
    assert.deepEqual(multipart(`${file("PNG\0")}--b--`), [
      ["f.filename", 'a "b".php'],
      ["f.filename", '".php'],
    ]);
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

  it("of another type has the values of JSON or a form as well", () => {
    const json = String.raw`{"role":"\u0061dmin"}`;
    for (const type of [undefined, "", "text/plain", "application/x-json", "application/csp-report"]) {
      assert.deepEqual(read(type, json), [
        ["", json],
        ["role", "admin"],
      ]);
      assert.deepEqual(read(type, "role=%61dmin&x"), [
        ["", "role=%61dmin&x"],
        ["role", "admin"],
        ["x", ""],
      ]);
    }
    const rows = '[{"a":1}]\n\n{"b":2}\r\n';
    assert.deepEqual(read("application/x-ndjson", rows), [
      ["", rows],
      ["a", "1"],
      ["b", "2"],
    ]);
    assert.deepEqual(read("application/x-www-form-urlencoded", ' {"role":"admin"}'), [
      [' {"role":"admin"}', ""],
      ['{"role":"admin"}', ""],
      ["role", "admin"],
    ]);
    assert.equal(read("text/plain", `${"[".repeat(65)}${"]".repeat(65)}`), "undecodable");
  });

  it("of a form has nested fields under the names that JSON would have, too", () => {
    const nested = [
      ["role[]", "role"],
      ["user[role]", "user.role"],
      ["list[0][role]", "list.role", "list.0.role"],
    ] as const;
    for (const names of nested) {
      const [name] = names;
      const expected = names.map((one) => [one, "admin"]);
      assert.deepEqual(read("application/x-www-form-urlencoded", `${encodeURIComponent(name)}=admin`), expected);
      assert.deepEqual(multipart(`${field(name, "admin")}--b--`), expected);
    }
  });

  it("of a form has the fields of each way to split it", () => {
    const form = (text: string) => read("application/x-www-form-urlencoded", text);
    assert.deepEqual(form("a=1;role=admin;"), [
      ["a", "1;role=admin;"],
      ["a", "1"],
      ["role", "admin"],
    ]);
    assert.deepEqual(form("a[b=c]=d=e]=f"), [
      ["a[b", "c]=d=e]=f"],
      ["a_b", "c]=d=e]=f"],
      ["a.b", "c]=d=e]=f"],
      ["a.[b", "c]=d=e]=f"],
      ["a[b=c]", "d=e]=f"],
      ["a.b=c", "d=e]=f"],
    ]);
  });

  it("of a form that not every application decodes has the fields of each", () => {
    const form = (text: string) => read("application/x-www-form-urlencoded", text);
    assert.deepEqual(form("a=%C3%A9%"), [
      ["a", "\u00e9%"],
      ["a", "%C3%A9%"],
      ["a", "\u00e9%"],
      ["a", "\u00c3\u00a9%"],
      ["a", "\u00e9%"],
    ]);
    assert.deepEqual(form("%E9=%92"), [
      ["\ufffd", "\ufffd"],
      ["%E9", "%92"],
      ["\u00e9", "\u0092"],
      ["\u00e9", "\u2019"],
      ["\ufffd", "\ufffd"],
    ]);
  });

  it("of XML has the text of an element in one piece, and in its pieces", () => {
    assert.deepEqual(read("text/xml", "<role>ad&#109;in</role>"), [["role", "admin"]]);
    for (const role of ["ad<!-- -->min", "ad<![CDATA[min]]>", "<![CDATA[ad]]>min", "ad<?x?>min"]) {
      assert.equal(String(read("text/xml", `<role>${role}</role>`)), "role,admin,role,ad,role,min", role);
    }
    assert.equal(String(read("text/xml", "<a>b<c>d</c>e</a>")), "a,b,a.c,d,a,e,a,be");
  });

  it("of XML is read in the encoding that it declares", () => {
    const xml = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?><a>\u00e4</a>`;
    assert.deepEqual(read("text/xml", xml("UTF-8")), [["a", "\u00e4"]]);
    assert.deepEqual(read("text/xml", Buffer.from(xml("ISO-8859-1"), "latin1")), [["a", "\u00e4"]]);
    assert.deepEqual(read("text/xml; charset=latin1", Buffer.from(xml("ISO-8859-1"), "latin1")), [["a", "\u00e4"]]);
    assert.equal(read("text/xml; charset=utf-8", xml("ISO-8859-1")), "undecodable");
    for (const encoding of ["UTF-7", "UTF-16", "IBM037"]) {
      assert.equal(read("text/xml", xml(encoding)), "undecodable", encoding);
      assert.equal(read("text/xml; charset=utf-8", xml(encoding)), "undecodable", encoding);
    }
  });

  it("of parts has each part in its own charset, and the values of JSON in it", () => {
    const part = (type: string, content: string) =>
      `--b\nContent-Disposition: form-data; name="user"\nContent-Type: ${type}\n\n${content}\n--b--`;
    const json = String.raw`{"role":"\u0061dmin"}`;
    assert.deepEqual(multipart(part("application/json", json)), [
      ["user", json],
      ["user.role", "admin"],
    ]);
    assert.deepEqual(
      read(
        "multipart/form-data; boundary=b",
        Buffer.from(lines(part("text/plain; charset=latin1", "\u00e4")), "latin1"),
      ),
      [["user", "\u00e4"]],
    );
    assert.equal(multipart(part("text/plain; charset=utf-7", "+AGEAZABtAGkAbg-")), "undecodable");
    assert.equal(multipart(part("application/json", "{")), "undecodable");
    const file = part("text/plain; charset=utf-7", "+AGE-").replace('name="user"', 'name="user"; filename="x"');
    assert.equal(multipart(file), "undecodable");
    assert.equal(
      read("multipart/form-data; boundary=b; charset=ibm037", lines(`${field("a", "x")}--b--`)),
      "undecodable",
    );
    assert.deepEqual(read("multipart/mixed; boundary=b", lines(`${field("role", "admin")}--b--`)), [["role", "admin"]]);
  });

  it("has at most 10 000 values", () => {
    const most = Array.from({ length: 10_000 }, () => 1);
    const values = (read("application/json", JSON.stringify(most)) as unknown[]).length;
    assert.equal(values, most.length);
    const more = [...most, 1];
    assert.equal(read("application/json", JSON.stringify(more)), "undecodable");
    assert.equal(read("application/x-www-form-urlencoded", more.join("&")), "undecodable");
    assert.equal(read("text/xml", `<a>${"<b>1</b>".repeat(more.length)}</a>`), "undecodable");
  });

  it("with two types or an encoding in any of its headers has none", () => {
    assert.equal(read(["text/plain", "application/json"], "{}"), "undecodable");
    assert.equal(read("text/plain", "x", ["identity", "gzip"]), "undecodable");
    assert.equal(read("text/plain", "x", "identity, gzip"), "undecodable");
    assert.deepEqual(read(["text/plain"], "x", ["identity", "Identity"]), [["", "x"]]);
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
      [`text/plain; a=${"x".repeat(600)}`, "x"],
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

  it("says what makes it unreadable", () => {
    const found: readonly (readonly [RegExp, ...Parameters<typeof foundIn>])[] = [
      [/^it is not JSON$/, "application/json", "{a:1}"],
      [/^its Content-Encoding is gzip$/, "text/plain", "x", "gzip"],
      [/^its Content-Encoding is no name of one$/, "text/plain", "x", "gzip, password=hunter2"],
      [/^Content-Type was sent more than once$/, ["text/plain", "text/xml"], "x"],
      [/^its charset is utf-7, which is not read$/, "text/plain; charset=utf-7", "x"],
      [/^its charset is no name of one, which is not read$/, 'text/plain; charset="password=hunter2"', "x"],
      [/^it is not utf-8$/, "text/plain", Uint8Array.of(0xff)],
      [/^it is nested more than 64 deep$/, "application/json", `${"[".repeat(65)}${"]".repeat(65)}`],
      [/^a name has more than 512 characters$/, "application/json", `{"${"x".repeat(600)}":1}`],
      [/^it has more than 10000 values$/, "text/plain", "a&=".repeat(10_001)],
      [/^it has a document type$/, "text/xml", "<!DOCTYPE a><a/>"],
      [/^it is not well-formed XML$/, "text/xml", "<a>"],
      [/^its Content-Type has no boundary$/, "multipart/form-data", "--b--"],
      [
        /^a part has no name$/,
        "multipart/form-data; boundary=b",
        lines(`${field("a", "x").replace("name", "nam")}--b--`),
      ],
      [/^a name or a value holds NUL$/, "text/plain", "a\0b"],
    ];
    for (const [expected, ...asked] of found) assert.match(foundIn(...asked) ?? "", expected);
  });

  it("that holds NUL, however it is written, has none", () => {
    assert.equal(read("application/json", String.raw`{"a":"x\u0000y"}`), "nul");
    assert.equal(read("application/x-www-form-urlencoded", "a=%00"), "nul");
    assert.equal(read("text/plain", "a\0b"), "nul");
    assert.equal(multipart(`${field("a", "x\0")}--b--`), "nul");
  });
});
