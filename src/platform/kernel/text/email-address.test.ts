import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalDomain, canonicalEmail, isSameEmail, loginKey } from "./email-address.ts";

test("an address has the one form that standards give it", () => {
  const forms = [
    ["ada@example.com", "ada@example.com"],
    ["Ada@Example.COM", "ada@example.com"],
    ["admin@localhost", "admin@localhost"],
    ["ada+tag@mail_server.example", "ada+tag@mail_server.example"],
    // RFC 5890: the ASCII form of a domain; UTS 46, not transitional: ß is a letter of its own.
    ["ada@faß.de", "ada@xn--fa-hia.de"],
    ["ada@fass.de", "ada@fass.de"],
    ["ada@💩.la", "ada@xn--ls8h.la"],
    // RFC 5892, A.1: between letters of Arabic, the joiner tells words apart.
    ["ada@نامه‌ای.com", "ada@xn--mgba3gch31f060k.com"],
    // Canonically equivalent: a ring, a dot, and the sign of kelvin.
    ["A\u030angstrom@x.example", "ångstrom@x.example"],
    ["\u212aelvin@x.example", "kelvin@x.example"],
    ["ΟΔΟΣ@x.example", "οδος@x.example"],
  ];
  for (const [spelled = "", email] of forms) assert.equal(canonicalEmail(spelled), email, spelled);
});

test("a form is its own form, for all characters", () => {
  const character = fc.integer({ min: 0, max: 0x10_ffff }).map((code) => String.fromCodePoint(code));
  const word = fc.array(fc.oneof(character, fc.constantFrom("a", "ß", "\u0301", "-", ".", "İ", "Σ", "ﬁ", "xn--")), {
    minLength: 1,
    maxLength: 6,
  });
  const text = word.map((characters) => characters.join(""));
  fc.assert(
    fc.property(text, text, (local, domain) => {
      const email = canonicalEmail(`${local}@${domain}`);
      assert.equal(email && canonicalEmail(email), email);
      assert.doesNotMatch(email ?? "", /[\s<>"(),:;\\[\]%!|]/);
      assert.match(email?.split("@").at(-1) ?? "", /^[a-z\d_.-]*$/);
    }),
    { numRuns: 2_000 },
  );
});

test("a domain that the form of an address can't have is none", () => {
  for (const domain of ["", ".", "acme.com.", "1.2.3.4", "acme.12", "a".repeat(64), "xn--zz-", "acme.com/x", "[::1]"]) {
    assert.equal(canonicalDomain(domain), undefined, domain);
  }
});

test("what older versions took for an address, and is none, is like no address", () => {
  assert.equal(isSameEmail("<boss>@acme.com", "<BOSS>@acme.com"), true);
  for (const email of ["boss@acme.com", '"boss"@acme.com', "boss@acme.com."]) {
    assert.equal(isSameEmail("<boss>@acme.com", email), false, email);
  }
  assert.deepEqual(["Ada", "ADA@MÜNCHEN.example"].map(loginKey), ["ada", "ada@xn--mnchen-3ya.example"]);
});
