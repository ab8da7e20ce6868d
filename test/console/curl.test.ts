// Calls of curl that are pasted into the form of a request. What each sends is in curl's manual, and what browsers copy in theirs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCurl } from "../../console/pages/firewall/try/curl.ts";

const FORM = "Content-Type: application/x-www-form-urlencoded";

const CALLS: readonly (readonly [string, readonly [method: string, url: string, headers?: string, body?: string]])[] = [
  ["curl https://shop.example.com/", ["GET", "https://shop.example.com/"]],
  ["  $ curl -sSL 'https://shop.example.com/a b'", ["GET", "https://shop.example.com/a b"]],
  ["curl -XDELETE /cart", ["DELETE", "/cart"]],
  ["curl --request=PUT --url /cart", ["PUT", "/cart"]],
  ["curl -I /cart", ["HEAD", "/cart"]],
  ["curl -d a=1 -d b=2 /cart", ["POST", "/cart", FORM, "a=1&b=2"]],
  ["curl -X PATCH --data-raw '' /cart", ["PATCH", "/cart", FORM, ""]],
  ["curl -G -d q=x /find?p=1", ["GET", "/find?p=1&q=x"]],
  ["curl --data-urlencode 'q=a b&c' --data-urlencode 'd e' /find", ["POST", "/find", FORM, "q=a%20b%26c&d%20e"]],
  [
    `curl --json '{"a":1}' /cart`,
    ["POST", "/cart", "Content-Type: application/json\nAccept: application/json", `{"a":1}`],
  ],
  [
    "curl -o out.html --max-time 5 -x proxy:8080 -A bot/1.0 -e https://a.example/ -b 'a=1; b=2' /",
    ["GET", "/", "User-Agent: bot/1.0\nReferer: https://a.example/\nCookie: a=1; b=2"],
  ],
  ["curl -u ada:secret /", ["GET", "/", "Authorization: Basic YWRhOnNlY3JldA=="]],
  // As Chromium copies it.
  [
    `curl 'https://shop.example.com/login' \\
  -H 'accept: */*' \\
  -H $'x-name: it\\'s \\u0041' \\
  --data-raw $'user=ada\\nline' \\
  --compressed`,
    ["POST", "https://shop.example.com/login", `accept: */*\nx-name: it's A\n${FORM}`, "user=ada\nline"],
  ],
  [`curl "https://a.example/\\"x\\"?\\$y" -H "A: b"'c'\\ d`, ["GET", `https://a.example/"x"?$y`, "A: bc d"]],
];

for (const [command, [method, url, headers = "", body = ""]] of CALLS)
  test(`read as a request: ${command}`, () => assert.deepEqual(readCurl(command), { method, url, headers, body }));

test("what is no call of curl is left alone", () => {
  for (const text of ["/admin", "curly /admin", "curl", "curl -X POST", "curl 'https://a.example/", "wget /admin"])
    assert.equal(readCurl(text), null, text);
});
