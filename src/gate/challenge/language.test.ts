// The language of the page, and that no language lacks a text.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { chooseLanguage } from "./language.ts";
import { TEXTS } from "./texts.ts";

test("the known language that the browser prefers is chosen", () => {
  const expected = {
    "": "en",
    de: "de",
    "de-AT,de;q=0.9,en;q=0.8": "de",
    "en-GB,de;q=0.9": "en",
    "nl,fr;q=0.5,en;q=0.4": "fr",
    "fr;q=0.1, es ; q=0.7": "es",
    "PT-br": "pt",
    "zh-TW": "zh",
    "zh-Hans-CN": "zh",
    ar: "ar",
    "ja;q=0,ar": "ar",
    "ja;q=0": "en",
    "*": "en",
    "xx,yy;q=x": "en",
    "constructor,toString,__proto__": "en",
  };
  for (const [header, language] of Object.entries(expected)) assert.equal(chooseLanguage(header), language, header);
  assert.equal(chooseLanguage(undefined), "en");
  assert.equal(chooseLanguage(`${"x,".repeat(100_000)}de`), "en");
});

test("no header fails", () => {
  fc.assert(fc.property(fc.string(), (header) => assert.ok(chooseLanguage(header) in TEXTS)));
});

test("every language has all texts, and none in the words of another", () => {
  for (const [language, texts] of Object.entries(TEXTS)) {
    assert.deepEqual(Object.keys(texts), Object.keys(TEXTS.en));
    for (const [name, text] of Object.entries(texts)) {
      assert.ok(text.length > 0 && !text.includes("\u0001"), `${language}: ${name}`);
      const isSame = language !== "en" && text === TEXTS.en[name as keyof typeof TEXTS.en];
      assert.ok(!isSame || name === "dir", `${language}: ${name}`);
    }
  }
});
