import assert from "node:assert/strict";
import { test } from "node:test";
import { REDACTED, createRedactor, isSensitiveName } from "./redact.ts";

test("names of credentials are known, and those of other things are not", () => {
  for (const name of [
    "authorization proxy-authorization cookie set-cookie x-api-key apikey access_token X-Auth password passwd userPass",
    "pw verificationCode verification_code auth_code inviteCode ticket invite state x-mfa-code cf-access-client-id otpCode login-code",
    "client_secret csrf-token x-xsrf JSESSIONID session_id sid sig code jwt SAMLResponse x-amz-signature otp",
  ].flatMap((line) => line.split(" "))) {
    assert.equal(isSensitiveName(name), true, name);
  }
  for (const name of (
    "host accept user-agent author keyword q page postcode referer passage sec-fetch-mode countryCode status_code codec " +
    "statement invoice tickets"
  ).split(" ")) {
    assert.equal(isSensitiveName(name), false, name);
  }
});

test("credentials are taken out of a target, its names staying as they are", () => {
  const { target } = createRedactor();
  for (const [whole, left] of [
    ["/a/b?q=shoes&page=2", "/a/b?q=shoes&page=2"],
    ["/a?token=swordfish&q=1", `/a?token=${REDACTED}&q=1`],
    ["/a?%74oken=swordfish", `/a?%74oken=${REDACTED}`],
    ["/a?user[password]=swordfish", `/a?user[password]=${REDACTED}`],
    ["/a?token=", "/a?token="],
    ["/a?variables=%7B%22password%22%3A%22swordfish%22%7D", `/a?variables=${REDACTED}`],
    ["/reset/0f8fad5bd9cb469fa16570867728950e", `/reset/${REDACTED}`],
    ["/a#access_token=swordfish", `/a#access_token=${REDACTED}`],
    ["/a?x=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", `/a?x=${REDACTED}`],
    ["/a;jsessionid=swordfish/b;v=1?q=1", `/a;jsessionid=${REDACTED}/b;v=1?q=1`],
    ["/a?q=1;token=swordfish", `/a?q=1;token=${REDACTED}`],
    ["/a?%2574oken=swordfish", `/a?%2574oken=${REDACTED}`],
    ["/a?next=%2Fr%3Ftoken%3Dswordfish", `/a?next=${REDACTED}`],
    ["/a?next=%252Fr%253Fcode%253Dswordfish&q=%2Fr%3Fx%3D1", `/a?next=${REDACTED}&q=%2Fr%3Fx%3D1`],
    ["/' or 1=1 --", "/' or 1=1 --"],
    ["/?q=%E0%A4%A", "/?q=%E0%A4%A"],
  ] as const) {
    assert.equal(target(whole), left);
  }
});

test("a header is taken by its name, by the form of its value, and a URL in it as a URL", () => {
  const { header } = createRedactor();
  assert.equal(header("authorization", "Basic abc"), REDACTED);
  assert.equal(header("x-real", "Bearer swordfish"), REDACTED);
  assert.equal(header("x-json", '{"password": "swordfish"}'), REDACTED);
  assert.equal(header("referer", "https://a.test/x?code=swordfish&q=1"), `https://a.test/x?code=${REDACTED}&q=1`);
  assert.equal(header("origin", "https://ada:swordfish@a.test"), `https://${REDACTED}@a.test`);
  assert.equal(header("referer", "/x?code=swordfish&q=1"), `/x?code=${REDACTED}&q=1`);
  assert.equal(header("x-link", "see https://a.test/x?ticket=swordfish"), REDACTED);
  assert.equal(
    header("x-url", "https://a.test/?next=https%3A%2F%2Fb.test%2F%3Fsid%3Dswordfish"),
    `https://a.test/?next=${REDACTED}`,
  );
  for (const harmless of [
    "text/html",
    "text/html;q=0.9, */*;q=0.8",
    "max-age=0",
    '"Chromium";v="131"',
    "for=1.2.3.4;proto=https",
  ]) {
    assert.equal(header("accept", harmless), harmless);
  }
});

test("what was taken out of one part is taken out of the others, also where it is shortened", () => {
  const redactor = createRedactor();
  const long = "swordfish ".repeat(40);
  redactor.header("x-api-key", "swordfish");
  redactor.header("cookie", long);
  redactor.header("authorization", "Bearer hunter-22");
  assert.equal(redactor.target("/a?b=hunter-22"), `/a?b=${REDACTED}`);
  assert.equal(redactor.text("see swordfish there"), `see ${REDACTED} there`);
  assert.ok(!redactor.text(`${long.slice(0, 200)}…`).includes("swordfish"));
});

test("a text of any kind takes little time", () => {
  const redactor = createRedactor();
  const startedAt = process.cpuUsage().user;
  for (const one of ["a", "-", "=", "/", "eyJ", "key", "a1", '"', " ", "//", ";", ";a", ";a=", "[", "%25", "verif"]) {
    redactor.target(`/?${one.repeat(16_000)}`);
    redactor.target(`/${one.repeat(16_000)}`);
    redactor.header("x", one.repeat(16_000));
  }
  assert.ok(process.cpuUsage().user - startedAt < 2_000_000);
});
