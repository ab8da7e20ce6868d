// Bodies that say nothing, or another charset, are read as each application may read them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBody } from "./decode-body.ts";

function read(contentType: string | undefined, body: string | Uint8Array) {
  const { values, problem } = decodeBody({ contentType, contentEncoding: undefined }, body);
  return problem?.kind ?? values;
}

const FORM = "application/x-www-form-urlencoded";
const TYPES = [undefined, "text/plain", "application/octet-stream", FORM];

test("what begins like JSON or XML under another type and cannot be read makes the body unreadable", () => {
  for (const type of TYPES) {
    for (const text of [
      '{"role":"admin","x":NaN}',
      '{"role":"admin"}x',
      "{role:'admin'}",
      "{'role':'admin'}",
      '{"role":"admin",}',
      '{/**/"role":"admin"}',
      "[Infinity]",
      "[1,]",
      '/**/{"role":"admin"}',
      " /* a */ /* [b] */[1]",
      '//x\n{"role":"admin"}',
      '//x\r[{"role":"admin"}]',
      '[/**/ [{"role":"admin"}]] x',
      '[TRUE,{"role":"admin"}]',
      "[-0x1F, x]",
      "[1] Knuth",
      "[ ] to do",
      "[[1, 2], x",
      "[0]=x",
      ' \ufeff{"role":"admin"',
      '{"a":1}\nno\n{"c":3}',
      "<role>admin",
      "<role>admin</role>x",
      "<!DOCTYPE role><role>admin</role>",
      "<p>one<br>two</p>",
      "<?xml?><a/>",
      "\n<a>&b;</a>",
    ]) {
      assert.equal(read(type, text), "undecodable", `${type}: ${text}`);
    }
  }
});

const NOTES = [
  "[2026-11-27 12:00:00] INFO started",
  "[2026-11-27T12:00:00Z] INFO started",
  "[2026-11-27] started",
  "[12:00:00] started",
  "[1.5.2] - fixed",
  "[[Wiki link]] text",
  "[null pointer] text",
  "[/path] text",
  "[{user}] text",
  "// [1",
  "/* {a: 1} */ a { color: red }",
  "//x",
];

test("what is neither for anybody is text, and is read as a form", () => {
  for (const text of ["[link](x)", "{{name}}", "{ user { id } }", "{% if %}", "< 5", "<3", "[a", "", "a{", ...NOTES]) {
    const expected = text === "" ? [] : [["", text]];
    assert.deepEqual(read("text/plain", text), expected, text);
  }
  assert.deepEqual(read(FORM, "[role]=admin"), [
    ["[role]", "admin"],
    ["role", "admin"],
  ]);
});

test("JSON and XML under another type have their values, too", () => {
  const valuesOf = (type: string | undefined, text: string) => {
    const found = read(type, text);
    return typeof found === "string" ? found : found.filter(([name]) => name === "role" || name === "a.role");
  };
  for (const type of TYPES) {
    assert.deepEqual(valuesOf(type, '{"role":"admin"}'), [["role", "admin"]]);
    assert.deepEqual(valuesOf(type, ' {"role":"admin"}\r\n\n{"role":"x"}\n'), [["role", "admin"], ["role", "x"]]); // prettier-ignore
    assert.deepEqual(valuesOf(type, "<a><role>admin</role></a>"), [["a.role", "admin"]]);
    assert.deepEqual(valuesOf(type, '\ufeff<?xml version="1.0"?><role>&#97;dmin</role>'), [["role", "admin"]]);
  }
  // Rack reads what has no type as a form, whatever it is.
  assert.deepEqual(valuesOf(undefined, '{"a":"&role=admin&"}'), [["role", "admin"]]);
  assert.deepEqual(read("text/plain", String.raw`"\u0061dmin"`), [["", String.raw`"\u0061dmin"`], ["", "admin"]]); // prettier-ignore
});

test("a body in another charset than UTF-8 is read in both", () => {
  const utf8 = Buffer.from("a=\u00e9");
  assert.deepEqual(read(`${FORM}; charset=iso-8859-1`, utf8), [["a", "\u00c3\u00a9"], ["a", "\u00e9"]]); // prettier-ignore
  assert.deepEqual(read(`${FORM}; charset=iso-8859-1`, Buffer.from("a=\xe9", "latin1")), [["a", "\u00e9"]]);
  const escaped = read(`${FORM}; charset=windows-1252`, "a=%C3%A9") as readonly (readonly string[])[];
  assert.deepEqual(escaped.slice(0, 2).map(([, value]) => value), ["\u00e9", "%C3%A9"]); // prettier-ignore
  assert.ok(escaped.some(([, value]) => value === "\u00c3\u00a9"));
  assert.deepEqual(read("application/json; charset=latin1", '{"a":"\u00e9"}'), [["a", "\u00c3\u00a9"], ["a", "\u00e9"]]); // prettier-ignore
  assert.deepEqual(read("text/xml; charset=latin1", "<a>\u00e9</a>"), [["a", "\u00c3\u00a9"], ["a", "\u00e9"]]); // prettier-ignore
  assert.equal(read("text/plain; charset=us-ascii", utf8), "undecodable");
  assert.equal(read("text/plain; charset*=utf-8''utf-7", "x"), "undecodable");
});

test("a byte order mark is dropped by some programs alone", () => {
  assert.deepEqual(read(FORM, "\ufeffrole=admin"), [["role", "admin"], ["\ufeffrole", "admin"]]); // prettier-ignore
  assert.deepEqual(read("application/json", '\ufeff{"role":"admin"}'), [["role", "admin"]]);
});

test("a form that begins with a question mark is also read without it", () => {
  const values = [["?role", "a?"], ["x", "?y"], ["role", "a?"]]; // prettier-ignore
  assert.deepEqual(read(FORM, "?role=a?&x=?y"), values);
  assert.deepEqual(read("text/plain", "?role=a?&x=?y"), [["", "?role=a?&x=?y"], ...values]);
  assert.deepEqual(read(FORM, "??a=1"), [["??a", "1"], ["?a", "1"]]); // prettier-ignore
  assert.deepEqual(read(FORM, "a=1"), [["a", "1"]]);
});

test("a type that names another one than its own cannot be read", () => {
  for (const type of [
    "text/xml; x=urlencoded",
    "text/plain; a=application/X-WWW-Form-URLEncoded",
    "application/json; x=octet-stream",
    "application/octet-stream+json",
    "application/octet-stream+urlencoded",
    "application/x-urlencoded",
    `${FORM}; x=octet-stream`,
    "application/octet-stream; x=urlencoded",
    "multipart/octet-stream; boundary=b",
    "multipart/form-data; boundary=urlencoded",
  ]) {
    const body = type.includes("xml") ? "<a/>" : type.startsWith("multipart") ? `--${type.split("=")[1]}--` : "{}";
    assert.equal(read(type, body), "undecodable", type);
  }
  for (const type of [FORM, `${FORM}; charset=UTF-8`, "application/x-ndjson; charset=utf-8", "text/json"])
    assert.notEqual(read(type, "{}"), "undecodable", type);
});

test("what has no type of its own is a file for some programs", () => {
  for (const type of ["application/octet-stream", "Application/Octet-Stream+x; charset=utf-8"])
    assert.deepEqual(read(type, "a"), [["", "a"], ["file", "a"]], type); // prettier-ignore
});

test("a text with an element of any name is XML for lenient parsers, and cannot be read", () => {
  const found = (body: string) =>
    decodeBody({ contentType: undefined, contentEncoding: undefined }, body).problem?.kind;
  for (const body of ["<<user><role>ad<!-- -->min</role></user>", "< user>x</user>", " <1>x</1>", "<>x</>"])
    assert.equal(found(body), "undecodable", body);
  for (const body of ["<3 you", "< 5", "a <b> c"]) assert.equal(found(body), undefined, body);
});
