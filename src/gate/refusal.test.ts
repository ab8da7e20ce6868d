// What a client gets for a request that is denied: a small page of its own for people, and a problem document for programs.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { renderChallenge } from "./challenge/page.ts";
import { TEXTS } from "./challenge/texts.ts";
import type { Language } from "./challenge/page-texts.ts";
import type { GateDecision } from "./decision.ts";
import type { GateRequest } from "./message.ts";
import { REFUSAL_TEXTS } from "./refusal-texts.ts";
import { refuse } from "./refusal.ts";

const ID = "7Q2mW9aKcR0042";
/** Visitors get a page with each request that is denied, which may be all of an attack. */
const MOST_BYTES = 4_200;

function requestOf(headers: GateRequest["headers"], host = "shop.example.com"): GateRequest {
  return { method: "GET", target: "/admin", scheme: "https", host, headers } as GateRequest;
}

function decisionOf(status: number): GateDecision {
  const [action, retryAfter] = status === 429 ? (["rate_limit", 30] as const) : (["deny", null] as const);
  const made = { version: 1, reason: null, wouldBe: null, location: null, logged: [], by: null };
  return { ...made, id: ID, action, status, retryAfter };
}

function pageIn(language: string, status: number, host?: string) {
  const { headers, body } = refuse(
    requestOf({ accept: "text/html", "accept-language": language }, host),
    decisionOf(status),
  );
  return { headers, page: String(body) };
}

for (const [language, texts] of Object.entries(TEXTS)) {
  for (const [status, title] of [
    [403, REFUSAL_TEXTS[language as Language].deniedTitle],
    [429, REFUSAL_TEXTS[language as Language].limitedTitle],
  ] as const) {
    test(`a person who reads ${language} is told so with ${status}, with the host and the id, on a small page`, () => {
      const { headers, page } = pageIn(language, status);
      assert.equal(headers["content-language"], texts.lang);
      for (const text of [`<html lang="${texts.lang}" dir="${texts.dir}">`, title, "shop.example.com", ID]) {
        assert.ok(page.includes(text), text);
      }
      assert.ok(Buffer.byteLength(page) <= MOST_BYTES, `${Buffer.byteLength(page)} bytes`);
    });
  }
}

test("the page loads nothing, runs nothing, and has no style but the one that its policy names", () => {
  const { headers, page } = pageIn("en", 403);
  assert.doesNotMatch(page, /<script|<img|@import|@font-face|url\(|https?:|\son\w+=|style=/i);
  const [, sheet = ""] = /<style>([^]*?)<\/style>/.exec(page) ?? [];
  const policy = String(headers["content-security-policy"]);
  assert.match(policy, /^default-src 'none'; /);
  assert.ok(policy.includes(`style-src 'sha256-${hash("sha256", sheet, "base64")}'`));
  assert.match(sheet, /@media\(prefers-color-scheme:dark\)/);
});

test("what a visitor sends as the host is text on the page", () => {
  const { page } = pageIn("en", 403, `<b>"shop`);
  assert.ok(page.includes("&lt;b&gt;&quot;shop"));
  assert.ok(!page.includes('<b>"shop'));
});

test("a program gets a problem document", () => {
  const { headers, body } = refuse(requestOf({ accept: "*/*", "accept-language": "de" }), decisionOf(403));
  assert.equal(headers["content-type"], "application/problem+json");
  const { id, title, status, code } = JSON.parse(String(body)) as Record<string, unknown>;
  assert.deepEqual([id, title, status, code], [ID, REFUSAL_TEXTS.en.deniedTitle, 403, "denied"]);
});

test("the page of the challenge is small, too, beside what it carries", () => {
  for (const language of Object.keys(TEXTS) as Language[]) {
    const carried = "t".repeat(85);
    const waitUrl = `/.well-known/reeve/challenge/continue?token=${carried}&return=%2F`;
    const page = renderChallenge({
      language,
      host: "shop.example.com",
      reference: { id: ID, rule: null },
      token: carried,
      difficulty: 4_096,
      nonce: "n".repeat(22),
      returnPath: "",
      waitUrl,
      waitSeconds: 6,
      form: undefined,
      isEarly: false,
    });
    const texts = Object.values(TEXTS[language]).filter((text) => page.includes(text));
    const beside = Buffer.byteLength(page) - Buffer.byteLength(texts.join("")) - 3 * carried.length;
    assert.ok(beside <= MOST_BYTES - 500, `${language}: ${beside} bytes`);
  }
});
