// What parts hold is decoded by their own types: no way of writing a part hides it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { UndecodableError } from "./named-values.ts";
import type { NamedValue } from "./named-values.ts";
import { readMultipart } from "./multipart-values.ts";

/** The values of a part `a`. */
function read(content: string | Uint8Array, type = "", parameters = ""): readonly NamedValue[] | "undecodable" {
  const headers = [
    `Content-Disposition: form-data; name="a"${parameters}`,
    ...(type === "" ? [] : [`Content-Type: ${type}`]),
  ];
  const body = Buffer.concat([
    Buffer.from(`--b\r\n${headers.join("\r\n")}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from("\r\n--b--"),
  ]);
  try {
    return readMultipart(body, "b").all;
  } catch (error) {
    if (!(error instanceof UndecodableError)) throw error;
    return "undecodable";
  }
}

const FILE = '; filename="f.txt"';
const NAME: NamedValue = ["a.filename", "f.txt"];

test("a part of XML, of a form or of JSON has its values, too, as a field and as a file", () => {
  const typed = [
    ["application/xml", "<o><i>&#97;ttack</i></o>", "a.o.i"],
    ["application/x-www-form-urlencoded", "z=%61ttack", "a.z"],
    ["application/json", String.raw`{"z":"\u0061ttack"}`, "a.z"],
  ] as const;
  for (const [type, text, name] of typed) {
    const values: readonly NamedValue[] = [["a", text], [name, "attack"]]; // prettier-ignore
    assert.deepEqual(read(text, type), values, type);
    assert.deepEqual(read(text, type, FILE), [NAME, ...values], type);
  }
  const latin = `<?xml version="1.0" encoding="ISO-8859-1"?><o>x</o>`;
  assert.deepEqual(read(latin, "text/xml"), [["a", latin], ["a.o", "x"]]); // prettier-ignore
});

test("a field is text whatever it says, a file with an empty name is a field, and no part has parts", () => {
  const broken = Buffer.from("\xffattack", "latin1");
  for (const parameters of ["", '; filename=""']) {
    assert.equal(read(broken, "", parameters), "undecodable");
    assert.deepEqual(read("attack", "", parameters), [["a", "attack"]]);
    assert.equal(read("<o>", "application/xml", parameters), "undecodable");
  }
  for (const parameters of ["", FILE])
    assert.equal(read("--c--", "multipart/mixed; boundary=c", parameters), "undecodable");
});

test("a file that is no text, or XML with a document type, is no reason to refuse", () => {
  const bytes = Buffer.from("\xff\0attack", "latin1");
  assert.deepEqual(read(bytes, "image/png", FILE), [NAME]);
  // Formidable takes it for a field.
  assert.deepEqual(read(bytes, "", FILE), [NAME, ["a", "\ufffd\ufffdattack"]]);
  const drawing = "<!DOCTYPE svg><svg/>";
  assert.deepEqual(read(drawing, "image/svg+xml", FILE), [NAME, ["a", drawing]]);
});

test("a file of JSON is read with a byte order mark, and one that is empty or no JSON has its text alone", () => {
  const json = "application/json";
  const named = (text: string): NamedValue[] => [NAME, ["a", text]];
  assert.deepEqual(read('\uFEFF{"z":1}', json, FILE), [...named('{"z":1}'), ["a", '\uFEFF{"z":1}'], ["a.z", "1"]]);
  assert.deepEqual(read("", json, FILE), named(""));
  assert.deepEqual(read('{"z":1,}', json, FILE), named('{"z":1,}'));
  assert.deepEqual(read("", json), [["a", ""]]);
  assert.equal(read('{"z":1,}', json), "undecodable");
});
