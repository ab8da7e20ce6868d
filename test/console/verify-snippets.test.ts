import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { SNIPPETS } from "../../console/pages/webhooks/verify-snippets.ts";

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes ...").toString("base64")}`;

function signed(body: string, at: Date, secrets: readonly string[]) {
  return {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign("msg_1", at, body)).join(" "),
  };
}

test("the code for Node.js accepts what Standard Webhooks signs, and nothing else", async () => {
  const code = SNIPPETS.find(({ language }) => language === "Node.js")?.code ?? "";
  const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const now = new Date();
  const body = '{"a":"ä"}';
  const other = `whsec_${Buffer.from("another").toString("base64")}`;
  assert.equal(isGenuine(Buffer.from(body), signed(body, now, [SECRET]), SECRET), true);
  assert.equal(
    isGenuine(Buffer.from(body), signed(body, now, [other, SECRET]), SECRET),
    true,
    "while a secret is replaced",
  );
  assert.equal(isGenuine(Buffer.from(`${body} `), signed(body, now, [SECRET]), SECRET), false);
  assert.equal(isGenuine(Buffer.from(body), signed(body, now, [other]), SECRET), false);
  assert.equal(isGenuine(Buffer.from(body), {}, SECRET), false, "without headers");
  const odd = { ...signed(body, now, [SECRET]), "webhook-signature": "v1,ä v1 v2,x" };
  assert.equal(isGenuine(Buffer.from(body), odd, SECRET), false);
  const old = new Date(now.getTime() - 301_000);
  assert.equal(isGenuine(Buffer.from(body), signed(body, old, [SECRET]), SECRET), false);
});

test("there is code for five languages, and each signs the id, the time and the body", () => {
  assert.equal(SNIPPETS.length, 5);
  for (const { language, code } of SNIPPETS) {
    for (const part of ["webhook-id", "webhook-timestamp", "webhook-signature", "whsec_", "v1", "300"]) {
      assert.ok(code.includes(part) || (part === "300" && code.includes("5*time.Minute")), `${language}: ${part}`);
    }
    assert.match(code, /timingSafeEqual|compare_digest|hmac\.Equal|secure_compare|hash_equals/, language);
  }
});
