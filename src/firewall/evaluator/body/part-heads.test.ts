// Parts of multipart bodies as clients write them are read, and whatever else applications read in different ways is not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBody } from "./decode-body.ts";

const DISPOSITION = "Content-Disposition: form-data; ";
const TYPE = "multipart/form-data; boundary=b";

/** The values of one part, whose bytes are given as characters; or what makes the body unreadable. */
function read(head: string, contentType = TYPE, content = "evil") {
  const boundary = /boundary="?([^";]*)/.exec(contentType)?.[1] ?? "b";
  const body = Buffer.from(`--${boundary}\r\n${head}\r\n\r\n${content}\r\n--${boundary}--\r\n`, "latin1");
  const { values, problem } = decodeBody({ contentType, contentEncoding: undefined }, body);
  return problem ? problem.kind : values;
}

const values = (head: string, ...rest: [string?, string?]) => {
  const found = read(head, ...rest);
  return typeof found === "string" ? found : Object.groupBy(found, ([name]) => name);
};
const texts = (head: string, name: string) => {
  const found = values(head);
  return typeof found === "string" ? found : found[name]?.map(([, value]) => value);
};

test("what programs read in different ways in the head of a part makes the body unreadable", () => {
  for (const parameters of [
    "name='comment'",
    // PHP takes no file here, but a field whose name ends with the semicolon.
    "name=it's; filename=b.txt",
    "name=a; filename='b'",
    "name=a; filename=b@c.txt",
    "name=a@b",
    'name="a"; filename="b"; size=1',
    'name="a"; charset=utf-7',
    'filename="b"; name="a"',
    "name*=utf-8''comment",
    'name*0=com; name*1=ment; name="a"',
    'name="a"; name="comment"',
    "name=\"a\"; filename*=utf-8''b",
    "name=\"a\"; filename=b; filename*=utf-8''c",
    "name=\"a\"; filename=b; filename*=utf-16''b",
    "name=\"a\"; filename=b; filename*='b'",
    // The language is a part of the name for Hono.
    "name=\"a\"; filename=b; filename*=utf-8'en'b",
    'name="com\\ment"',
    'name="a\\"b"',
    'name="a\\\\"',
    'name="a"; filename="b\\\\"',
    'name="a"; filename="b\\n"',
    'name="x; name=comment"',
    'name="x;name=comment"',
    'name="a"; filename="b\\"; name=\\"comment"',
    'name="a"; filename="b;\\"c"',
    'name="a"; filename="x; filename=y"',
    'name="a"; filename="x&period;php"',
    'name="a";',
    'name = "a"',
    'name=""',
    'name="a" ; filename="b"',
    'name="a', // prettier-ignore
  ]) {
    assert.equal(read(DISPOSITION + parameters), "undecodable", parameters);
  }
  const field = `${DISPOSITION}name="a"`;
  for (const head of [
    'Content-Disposition: attachment; name="a"',
    `X: ${DISPOSITION}name="comment"\r\n${field}`,
    `${field}\r\nX-Content-Type: text/plain; charset=utf-7`,
    `${field}; filename="Content-ID: comment"`,
    `${field}\r\n Content-Type: text/plain`,
    `${field}\r\nContent-Type : text/plain`,
    `${field}\nContent-Type: text/plain`,
    `${field}\r\nContent-Type: text/plain; charset*=utf-8''utf-7`,
    `${field}\r\nContent-Type: multipart/mixed; boundary=c`,
    `${field}\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable`,
    // An application with formidable ends at it.
    `${field}\r\nContent-Transfer-Encoding: 8bit`,
    `${field}; filename="b"\r\nContent-Type: text/plain; name=b; filename=b`,
    `${field}; filename="b"\r\nContent-Type: text/plain; name=c`,
    `${field}; filename="b"\r\nContent-Type: text/plain; x="; filename=c"`,
    `${field}\r\nContent-Type: text/plain; name=c`,
    `${field}; filename="b"\r\nX: y; filename*=utf-8''c`,
    `${field}\r\nX: y; name=c`,
    `${field}\x7f`,
    `${field}\r\nX: ${"x".repeat(16_384)}`,
  ]) {
    assert.equal(read(head), "undecodable", head.slice(0, 100));
  }
});

test("what clients write in the head of a part is read", () => {
  const type = "Content-Type: text/plain";
  for (const encoding of ["7bit", "8bit", "binary"]) {
    const head = `${DISPOSITION}name="a"\r\nContent-Transfer-Encoding: ${encoding}\r\n${type}`;
    assert.deepEqual(read(head), [["a", "evil"]], encoding);
  }
  assert.deepEqual(read(`${DISPOSITION}name=it's`), [["it's", "evil"]]);
  const file = `${DISPOSITION}name="a"; filename="my b.txt"\r\n${type}; name="my b.txt"`;
  assert.deepEqual(read(file), [["a.filename", "my b.txt"], ["a", "evil"]]); // prettier-ignore
});

test("a type of multipart with more than a plain boundary and a charset makes the body unreadable", () => {
  const head = `${DISPOSITION}name="comment"`;
  for (const type of [
    "multipart/form-data; boundary=b; boundary*=utf-8''c",
    "multipart/form-data; boundary*=utf-8''b",
    "multipart/form-data; boundary*0=b",
    'multipart/form-data; boundary="b,c"',
    "multipart/form-data; boundary=b,c",
    "multipart/form-data; boundary='b'",
    'multipart/form-data; boundary="b c"',
    'multipart/form-data; boundary="\\b"',
    "multipart/form-data; boundary=b ; charset=utf-8",
    "multipart/form-data; boundary=b;",
    "multipart/form-data; x=y; boundary=b",
    "multipart/boundary; charset=utf-8; boundary=b",
    "multipart/form-data; charset=boundary; boundary=b",
    "multipart/form-data, text/plain; boundary=b",
    "multipart/form-data; boundary =b",
    "multipart/form-data; boundary=b; boundary=b",
    "multipart/form-data",
  ]) {
    assert.equal(read(head, type), "undecodable", type);
  }
  for (const type of [
    'multipart/form-data; boundary="b"',
    "multipart/form-data;boundary=b;charset=UTF-8",
    'Multipart/Form-Data; charset="utf-8"; boundary=b',
    "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
    'multipart/form-data; boundary="dart-http-boundary-(\'+_./:=?)"',
    // Samples for Java and Android.
    "multipart/form-data;boundary=*****",
    'multipart/form-data; boundary="***~!#$%&^`|"',
  ]) {
    assert.deepEqual(read(head, type), [["comment", "evil"]], type);
  }
});

test("an empty line may stand before the first boundary and behind the last, and nothing else", () => {
  const part = `--b\r\n${DISPOSITION}name="a"\r\n\r\nevil\r\n--b--`;
  const readBody = (body: string) => {
    const { values: found, problem } = decodeBody({ contentType: TYPE, contentEncoding: undefined }, body);
    return problem ? problem.found : found;
  };
  for (const body of [`\r\n${part}`, part, `${part}\r\n`, `\r\n${part}\r\n\r\n`])
    assert.deepEqual(readBody(body), [["a", "evil"]], JSON.stringify(body));
  for (const before of ["\n", "\r", " ", "x\r\n", "\r\n\r\n", `\r\n${DISPOSITION}name="b"\r\n\r\nx\r\n`])
    assert.equal(readBody(before + part), "something stands before its first part", JSON.stringify(before));
  for (const behind of ["\n", "x", "\r\nx", "\r\n\r\n\r\n", `\r\n${part}`])
    assert.equal(readBody(part + behind), "something stands after its last part", JSON.stringify(behind));
});

test("a boundary within the text of a part makes the body unreadable", () => {
  const head = `${DISPOSITION}name="a"`;
  for (const content of ["x--b\r\n", "--b", "x\n--b\n", `x\n--b\r\n${DISPOSITION}name="role"\r\n\r\nadmin`, "--bc"])
    assert.equal(read(head, TYPE, content), "undecodable", content);
  assert.deepEqual(read(head, TYPE, "x-b--\r\n-b"), [["a", "x-b--\r\n-b"]]);
});

test("a file has the names that applications give it", () => {
  const named = (parameters: string) => texts(`${DISPOSITION}name=f; ${parameters}\r\nContent-Type: x/y`, "f.filename");
  const e = "\u00c3\u00a9";
  const cases: readonly (readonly [string, ...string[]])[] = [
    ["filename=receipt.jpg", "receipt.jpg"],
    ["filename=receipt.jpg; filename*=utf-8''receipt.jpg", "receipt.jpg"],
    ["filename=receipt.jpg; filename*=ISO-8859-1''receipt%2ejpg", "receipt.jpg"],
    [`filename="=?utf-8?B?w6kuanBn?="; filename*=utf-8''%C3%A9.jpg`, "=?utf-8?B?w6kuanBn?=", "\u00e9.jpg"],
    [`filename="${e}.jpg"; filename*=utf-8''%C3%A9.jpg`, "\u00e9.jpg", `${e}.jpg`],
    ['filename="a\\"b.jpg"', 'a"b.jpg', '"b.jpg'],
    ['filename="a%22b.jpg"', "a%22b.jpg", 'a"b.jpg'],
    ['filename="x%2ephp"', "x%2ephp", "x.php"],
    ['filename="x&#46;php"', "x&#46;php", "x.php"],
    ['filename="x&#x2ephp"', "x&#x2ephp", "x.php"],
    ['filename="up/evil.php"', "up/evil.php", "evil.php"],
    ['filename="up/evil.php//"', "up/evil.php//", "up/evil.php", "evil.php"],
    ['filename="up%2fevil.php%5c"', "up/evil.php", "evil.php"],
    ['filename="it\'s; R&D, 100%.jpg"', "it's; R&D, 100%.jpg"],
    // An apostrophe begins a quotation for PHP, which reads up to the next space.
    ["filename=Anna's.txt; filename*=utf-8''Anna%27s.txt", "Anna's.txt", "Anna's.txt;"],
    ["filename=a's;filename*=utf-8''a%27s", "a's", "a's;filename*=utf-8''a%27s"],
    ["filename=Anna's.txt", "Anna's.txt"],
  ];
  for (const [parameters, ...expected] of cases) {
    const found = named(parameters);
    for (const one of expected) assert.ok(found?.includes(one), `${parameters}: ${String(found)}`);
  }
  assert.deepEqual(named("filename=receipt.jpg; filename*=utf-8''receipt.jpg"), ["receipt.jpg"]);
  assert.deepEqual(named("filename=Anna's.txt"), ["Anna's.txt"]);
});

test("a field has the names that applications give it", () => {
  for (const [sent, ...others] of [
    ["a%22b", 'a"b'],
    [" role ", "role", "role_"],
    ["\u00c3\u00a9", "\u00e9", "\u00c3\u00a9"],
    ["it's"],
    ["a;b"],
  ] as const) {
    for (const name of [sent, ...others])
      assert.deepEqual(texts(`${DISPOSITION}name="${sent}"`, name), ["evil"], `${sent}: ${name}`);
  }
});

test("a part is read in its own charset and in UTF-8", () => {
  const head = `${DISPOSITION}name="a"\r\nContent-Type: text/plain; charset=iso-8859-1`;
  assert.deepEqual(read(head, TYPE, "\u00c3\u0089"), [["a", "\u00c3\u2030"], ["a", "\u00c3\u0089"], ["a", "\u00c9"]]); // prettier-ignore
  assert.deepEqual(read(head, TYPE, "\u00c9"), [["a", "\u00c9"]]);
  assert.equal(read(head.replace("iso-8859-1", "us-ascii"), TYPE, "\u00c3\u0089"), "undecodable");
});

test("a type that some programs take for multipart is not read", () => {
  for (const type of ["multipart; boundary=b", "x-multipart; boundary=b", "text/plain; x=Multipart; boundary=b"]) {
    assert.equal(read(`${DISPOSITION}name="a"`, type), "undecodable", type);
  }
});
