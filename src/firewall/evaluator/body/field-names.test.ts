// The names that qs 6.17, PHP 8.2 and Rack 2.2 were seen to give fields.
import assert from "node:assert/strict";
import { test } from "node:test";
import { threadMs } from "../../../../test/harness/thread-time.ts";
import { decodeBody } from "./decode-body.ts";
import { fieldNames, hasOtherNames } from "./field-names.ts";

function namesOf(name: string): readonly string[] {
  return hasOtherNames(name) ? [...fieldNames(name)] : [name];
}

const READ: readonly (readonly [sent: string, ...read: string[]])[] = [
  ["role[]x", "role", "role.x"],
  ["user[role]]", "user.role"],
  ["[role]", "role"],
  ["role]", "role"],
  ["user][role]", "user.role"],
  ["user]role", "user.role"],
  ["a[b]c[d]", "a.b", "a.b.d", "a.b.c.d"],
  ["a[[b]", "a.[b", "a.[[b]", "a.b"],
  ["a[b", "a_b", "a.[b", "a.b"],
  ["a[b][c", "a.b", "a.b.[c", "a.b.c"],
  ["a[b][", "a.b", "a.b.[", "a.[b]["],
  ["a[b[c]]", "a.b[c", "a.b[c]", "a.b.c"],
  ["a[[]b]", "a.[", "a.[]b", "a.b"],
  ["a[0][b]", "a.b", "a.0.b"],
  ["role[-1]", "role", "role.-1"],
  ["a[-0][b]", "a.b", "a.-0.b"],
  ["a[][b]", "a.b"],
  ["a[][b][c]", "a.b.c"],
  ["a[ ][b]", "a.b", "a. .b"],
  ["a[ b]", "a. b"],
  ["a.b[c]", "a_b.c", "a.b.c"],
  ["a.b", "a_b"],
  ["a b", "a_b"],
  ["a.b c[d", "a_b_c_d", "a.b c.[d", "a.b c.d"],
  ["  a", "a"],
  [" a[b]", "a.b", " a.b"],
  ["a\0b", "a"],
  ["a[b\0c]", "a_b", "a.b\0c"],
  ["a\0[b]", "a", "a\0.b"],
  ["[[a]]", "a", "[a]"],
  ["a[b][c][d][e][f][g][h]", "a.b.c.d.e.f.g.h", "a.b.c.d.e.f.[g][h]"],
  ["list[0].role", "list.role"],
  ["user[role]x[[foo]", "user.role", "user.role.x.foo", "user.role.[[foo]", "user.role.foo"],
];

test("a field has all names that applications give it, and the one that was sent first", () => {
  for (const [sent, ...read] of READ) {
    const names = namesOf(sent);
    assert.equal(names[0], sent);
    for (const one of read) assert.ok(names.includes(one), `${sent} is ${one}: ${names.join("  ")}`);
    assert.equal(new Set(names).size, names.length, sent);
  }
});

test("a name without brackets, dots and spaces has no other, and nested names have few", () => {
  for (const name of ["role", "user-role", "a_b", "\u00e4", ""]) assert.deepEqual(namesOf(name), [name]);
  assert.deepEqual(namesOf("user[role]"), ["user[role]", "user.role"]);
  assert.deepEqual(namesOf("role[]"), ["role[]", "role"]);
});

test("a field of a form and of a multipart body has its value at each name", () => {
  const form = "application/x-www-form-urlencoded";
  const part = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nadmin\r\n--b--`;
  for (const [sent, ...read] of READ.filter(([name]) => !name.includes("\0"))) {
    for (const [contentType, body] of [
      [form, `${encodeURIComponent(sent)}=admin`],
      ["multipart/form-data; boundary=b", part(sent)],
    ] as const) {
      const { values } = decodeBody({ contentType, contentEncoding: undefined }, body);
      for (const one of [sent, ...read])
        assert.ok(
          values.some(([name, value]) => name === one && value === "admin"),
          `${contentType}: ${sent} is ${one}`,
        );
    }
  }
});

test("a body whose fields have too many names is not read", () => {
  const read = (body: string) =>
    decodeBody({ contentType: "application/x-www-form-urlencoded", contentEncoding: undefined }, body).problem?.found;
  assert.match(read("a.b[1][2][3][4]x[=1&".repeat(1_000)) ?? "", /more than 50000 names/);
});

test("long names of brackets take little time", () => {
  for (const part of ["[", "]", "[]", "[a]", "[0]", "[[a]", "a]", "].", "[ ", "."]) {
    const name = part.repeat(16_384 / part.length);
    const ms = Math.min(...[1, 2, 3].map(() => threadMs(() => void namesOf(name))));
    assert.ok(ms < 50, `${part}: ${ms} ms`);
  }
});
