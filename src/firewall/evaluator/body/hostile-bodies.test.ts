import assert from "node:assert/strict";
import { test } from "node:test";
import { threadMs } from "../../../../test/harness/thread-time.ts";
import { decodeBody } from "./decode-body.ts";

const lines = (text: string) => text.replaceAll("\n", "\r\n");
const field = (name: string, content: string) => `--b\nContent-Disposition: form-data; name="${name}"\n\n${content}\n`;

test("a body of 64 KB that was made to be slow takes time in proportion to its size", () => {
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
    ["multipart/form-data; boundary=b", `--b\r\nx:${" ".repeat(size)}\nx\r\n\r\nx\r\n--b--`],
    ["multipart/form-data; boundary=b", `--b\r\nContent-Disposition: form-data;${" ".repeat(size)}\r\n\r\nx\r\n--b--`],
    [
      "multipart/form-data; boundary=b",
      `--b\r\nContent-Disposition: form-data${';a="'.repeat(size / 4)}\r\n\r\nx\r\n--b--`,
    ],
    [
      "multipart/form-data; boundary=b",
      `--b\r\nContent-Disposition: form-data; a="${'\\"'.repeat(size / 2)}\r\n\r\nx\r\n--b--`,
    ],
    [
      "multipart/form-data; boundary=b",
      `--b\r\nContent-Disposition: form-data; a=${"b=".repeat(size / 2)}"\r\n\r\nx\r\n--b--`,
    ],
    [`text/plain; ${'a="'.repeat(5_000)}`, "x"],
    [`text/plain; a="${'\\"'.repeat(30_000)}`, "x"],
    [`text/plain; a="${'\\"'.repeat(250)}`, "x"],
    ["text/plain", "[\n".repeat(size / 2)],
    ["text/plain", `[]\n${"{}\n".repeat(size / 3)}`],
    ["text/plain", " ".repeat(size)],
    ["text/plain", `${" ".repeat(size)}=`],
    ["application/x-www-form-urlencoded", "[".repeat(size)],
    ["application/x-www-form-urlencoded", "[a".repeat(size / 2)],
    ["application/x-www-form-urlencoded", "[a]".repeat(size / 3)],
    ["text/xml", `<a>${"<!---->".repeat(size / 7)}</a>`],
    ["text/xml", `<a>${"<!--".repeat(size / 4)}</a>`],
    ["text/xml", `<a>${"]]".repeat(size / 2)}</a>`],
    ["text/xml", `<a ${Array.from({ length: 6_000 }, (_, at) => `a${at}="x"`).join(" ")}/>`],
    ["text/xml", `<?xml ${" ".repeat(size)}?><a/>`],
    ["text/xml", `<a>${"&#x26;".repeat(size / 6)}</a>`],
    ["text/xml", `<a>${"&".repeat(size)}</a>`],
  ];
  for (const [contentType, body] of hostile) {
    const ms = threadMs(() => void decodeBody({ contentType, contentEncoding: undefined }, body));
    assert.ok(ms < 200, `${contentType.slice(0, 40)} ${body.slice(0, 20)}: ${ms} ms`);
  }
});
