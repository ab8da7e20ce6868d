// What is shown to whom: pages to people, problem documents to programs; and what of a request ends up in a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  REFERENCE,
  attributeOf,
  createChallengeWorld,
  navigate,
  problemOf,
  textOf,
} from "../../../test/gate/challenge-world.ts";
import type { RequestParts } from "../../../test/gate/challenge-world.ts";
import { BASE_PATH } from "./routes.ts";
import { TEXTS } from "./texts.ts";

const { challenges, scope, get, pass } = createChallengeWorld();
const respond = (parts: RequestParts = {}, options = {}) =>
  challenges.respond(navigate(parts), scope, REFERENCE, options);
const isPage = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
  headers["content-type"] === "text/html; charset=utf-8";
/** Of browsers that send no Fetch Metadata. */
const OLD = { "sec-fetch-mode": undefined, "sec-fetch-dest": undefined, "sec-fetch-site": undefined };
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };
const post = (body: string | undefined, headers: RequestParts["headers"] = {}) =>
  respond({ method: "POST", target: "/orders?x=1", headers: { ...FORM_TYPE, ...headers } }, { body });

test("a navigation gets the page, with headers that allow it nothing else", () => {
  const response = respond();
  assert.ok(isPage(response));
  assert.equal(response.status, 403);
  const { "content-security-policy": policy, ...headers } = response.headers;
  assert.deepEqual(headers, {
    "content-type": "text/html; charset=utf-8",
    "content-language": "en",
    "cache-control": "no-store",
    vary: "accept, accept-language, cookie, sec-fetch-dest, sec-fetch-mode, x-requested-with",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "x-robots-tag": "noindex",
  });
  const nonce = attributeOf(response, "script nonce");
  assert.match(nonce, /^[\w-]{22}$/);
  assert.match(
    String(policy).replace(nonce, "N"),
    /^default-src 'none'; script-src 'nonce-N'; worker-src 'self'; connect-src 'self'; style-src 'sha256-[\w+/=]{44}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  assert.notEqual(attributeOf(respond(), "script nonce"), nonce);
  const head = respond({ method: "HEAD" });
  assert.deepEqual([head.status, head.body, Object.keys(head.headers)], [403, null, Object.keys(response.headers)]);
});

test("only navigations of people get a page", () => {
  const navigations: RequestParts[] = [
    {},
    { headers: OLD },
    { headers: { ...OLD, accept: "TEXT/HTML" } },
    { headers: { ...OLD, accept: "application/xhtml+xml , text/html ; q=1.0, */*;q=0.1" } },
    { method: "POST" },
  ];
  for (const parts of navigations) assert.ok(isPage(respond(parts)), JSON.stringify(parts));
  const others: RequestParts[] = [
    { headers: { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" } },
    { headers: { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" } },
    { headers: { "sec-fetch-dest": "iframe" } },
    { headers: { "sec-fetch-dest": undefined } },
    { headers: { ...OLD, accept: "*/*" } },
    { headers: { ...OLD, accept: undefined } },
    { headers: { ...OLD, accept: "application/rss+xml" } },
    { headers: { ...OLD, accept: "application/rss+xml, text/html;q=0.5" } },
    { headers: { ...OLD, "x-requested-with": "XMLHttpRequest" } },
    { method: "OPTIONS" },
    { method: "PUT" },
    { method: "PROPFIND" },
  ];
  for (const parts of others) {
    const response = respond(parts);
    assert.equal(response.headers["content-type"], "application/problem+json; charset=utf-8", JSON.stringify(parts));
    assert.equal(response.status, 403);
  }
});

test("a program gets a problem document that leads to the page", () => {
  const program = { ...OLD, accept: "*/*" };
  const { detail, ...problem } = problemOf(respond({ headers: program }));
  assert.match(detail ?? "", /in a browser/);
  assert.deepEqual(problem, {
    type: BASE_PATH,
    title: "A browser has to pass a check first",
    status: 403,
    instance: "urn:reeve:decision:dec_1",
    code: "challenge_required",
    id: "dec_1",
    challenge: `${BASE_PATH}?id=dec_1&return=%2Fcart%3Fitem%3D1`,
  });
  const challengeOf = (parts: RequestParts) =>
    problemOf(respond({ ...parts, headers: { ...program, ...parts.headers } }))["challenge"];
  const referer = "https://shop.example/list?a=b";
  assert.equal(challengeOf({ headers: { referer } }), `${BASE_PATH}?id=dec_1&return=%2Flist%3Fa%3Db`);
  assert.equal(challengeOf({ method: "PUT" }), `${BASE_PATH}?id=dec_1&return=%2F`);
  assert.equal(challengeOf({ target: "//evil.example" }), `${BASE_PATH}?id=dec_1&return=%2F`);
});

test("the page has an address of its own, for what a program was refused", async () => {
  const page = await get(`${BASE_PATH}?id=dec_1&return=%2Fcart%3Fitem%3D1`);
  assert.equal(page.status, 403);
  assert.equal(attributeOf(page, "data-return"), "/cart?item=1");
  assert.ok(textOf(page).includes("dec_1"));
  // What a link says is not shown as the site's.
  assert.doesNotMatch(textOf(await get(`${BASE_PATH}?id=Call%20us&return=/`)), /Call/);
});

test("a visitor with a pass is not sent in a circle", async () => {
  const headers = { cookie: await pass() };
  for (const response of [respond({ headers }), await get(`${BASE_PATH}?return=/cart`, { headers })]) {
    assert.ok(textOf(response).includes(TEXTS.en.passedTitle));
    assert.doesNotMatch(textOf(response), /<script|http-equiv/);
  }
  assert.ok(textOf(post("a=b", headers)).includes(TEXTS.en.passedTitle));
});

test("nothing of a request or a rule becomes markup", () => {
  const text = fc.string({
    unit: fc.constantFrom(...Array.from("<>\"'&`=/ a\u0001\u2028"), "</script>", "<!--", "${x}"),
    maxLength: 40,
  });
  fc.assert(
    fc.property(text, text, text, text, (host, rule, name, value) => {
      const reference = { id: "dec_1", rule };
      const headers = { ...FORM_TYPE, origin: "x" };
      const request = navigate({ method: "POST", host, target: "/a", headers });
      const body = String(new URLSearchParams({ [`n${name}`]: value }));
      const page = textOf(challenges.respond(request, scope, reference, { body }));
      const plain = textOf(
        challenges.respond({ ...request, host: "h" }, scope, { ...reference, rule: "r" }, { body: "n=v" }),
      );
      const tags = (markup: string) => markup.match(/<\/?[a-z!]+/g);
      assert.deepEqual(tags(page), tags(plain));
      assert.equal(page.split('"').length, plain.split('"').length);
    }),
  );
});

test("a small form of this origin is kept, as it was", () => {
  const response = post("a=1&a=2&b=%3Cb%3E%22+%26&empty=");
  const inputs = [...textOf(response).matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)" \/>/g)];
  assert.deepEqual(
    inputs.map(([, name, value]) => [name, value]),
    [["a", "1"], ["a", "2"], ["b", "&lt;b&gt;&quot; &amp;"], ["empty", ""]], // prettier-ignore
  );
  assert.equal(attributeOf(response, "data-form"), "kept");
  assert.match(attributeOf(response, "formaction"), /\/wait\?token=[^&]+&return=%2Forders%3Fx%3D1$/);
  // It would throw the form away.
  assert.doesNotMatch(textOf(response), /http-equiv/);
  const old = { ...OLD, origin: "https://shop.example" };
  assert.equal(attributeOf(post("a=1", old), "data-form"), "kept");
});

test("any other form has to be sent again by the person", () => {
  const lost: [body: string | undefined, headers?: RequestParts["headers"]][] = [
    [undefined],
    ["a=1", { "content-type": "multipart/form-data; boundary=x" }],
    ["a=1", { "content-type": undefined }],
    ["a=1", { "content-encoding": "gzip" }],
    [`a=${"x".repeat(16_384)}`],
    ["a&".repeat(201)],
    ["a=%ff"],
    ["a=%00"],
    ["=1"],
    ["a=1", { "sec-fetch-site": "cross-site" }],
    ["a=1", { "sec-fetch-site": "same-site" }],
    ["a=1", { "sec-fetch-site": "none" }],
    ["a=1", OLD],
    ["a=1", { ...OLD, origin: "null" }],
    ["a=1", { ...OLD, origin: "http://shop.example" }],
    ["a=1", { ...OLD, origin: "https://evil.example" }],
  ];
  for (const [body, headers] of lost) {
    const response = post(body, headers);
    assert.equal(attributeOf(response, "data-form"), "lost", `${body?.slice(0, 20)} ${JSON.stringify(headers)}`);
    assert.doesNotMatch(textOf(response), /<form|type="hidden"/);
    assert.ok(textOf(response).includes(TEXTS.en.formLost));
  }
  const aside = respond({ method: "POST", target: "//evil.example", headers: FORM_TYPE }, { body: "a=1" });
  assert.equal(attributeOf(aside, "data-form"), "lost");
});

test("a form without script is sent on after the wait, but not one of another origin", async () => {
  const world = createChallengeWorld();
  const { token } = world.issue();
  const target = `${BASE_PATH}/wait?token=${token}&return=%2Forders`;
  const send = async (site: string) => {
    const headers = { ...FORM_TYPE, "sec-fetch-site": site };
    return await world.challenges.handle(navigate({ method: "POST", target, headers }), "a=1", world.scope);
  };
  const early = await send("same-origin");
  assert.equal(attributeOf(early, "action"), "/orders");
  assert.match(textOf(early), /name="a" value="1"/);
  world.clock.now += 5_000;
  const foreign = await send("cross-site");
  assert.deepEqual([foreign.status, foreign.headers["set-cookie"]], [403, undefined]);
  const own = await send("same-origin");
  assert.deepEqual([own.status, own.headers["location"]], [307, `${BASE_PATH}/continue?return=%2Forders`]);
});

test("other paths and methods are refused", async () => {
  for (const path of ["/x", "/solve/", "x", "/check-1.js"])
    assert.equal((await get(BASE_PATH + path)).status, 404, path);
  const solve = await get(`${BASE_PATH}/solve`);
  assert.deepEqual([solve.status, solve.headers["allow"]], [405, "POST"]);
  const put = await challenges.handle(navigate({ method: "PUT", target: BASE_PATH }), "", scope);
  assert.deepEqual([put.status, put.headers["allow"]], [405, "GET, HEAD"]);
});
