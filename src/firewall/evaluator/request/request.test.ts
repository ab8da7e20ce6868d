import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Condition } from "../config.ts";
import type { RequestAttributes } from "./attributes.ts";
import { operandOf } from "./operand.ts";
import { RequestView } from "./request.ts";

function read(attributes: Partial<RequestAttributes>, type: Condition["type"], key?: string): readonly string[] {
  const operand = operandOf({ type, op: "ex", ...(key !== undefined && { key }) });
  return operand?.read(new RequestView({ url: "/", ...attributes })).texts ?? [];
}

describe("the values that conditions compare", () => {
  it("are derived from the URL", () => {
    const url = "HTTPS://u@Example.com.:443/a/%2e%2e/Admin%20x?q=1&q=%32+3&&r&=e#f";
    assert.deepEqual(read({ url }, "raw_path"), ["/a/%2e%2e/Admin%20x"]);
    assert.deepEqual(read({ url }, "path"), ["/Admin x"]);
    assert.deepEqual(read({ url }, "target_path"), ["/Admin x"]);
    assert.deepEqual(read({ url, targetPath: "/t/../%41" }, "target_path"), ["/t/../%41"]);
    assert.deepEqual(read({ url }, "scheme"), ["https"]);
    assert.deepEqual(read({ url }, "host"), ["example.com"]);
    assert.deepEqual(read({ url }, "query", "q"), ["1", "2 3"]);
    assert.deepEqual(read({ url }, "query", "Q"), []);
    assert.deepEqual(read({ url }, "query", "r"), [""]);
    assert.deepEqual(read({ url }, "query", ""), ["e"]);
    assert.deepEqual(read({ url }, "query"), ["e"]);
    assert.deepEqual(read({ url: "/" }, "scheme"), []);
    assert.deepEqual(read({ url: "/" }, "host"), []);
  });

  it("of a query are also at the names that applications read", () => {
    const url = "/?role[]=a&+role=b&role%00x=c&%20%20user[role]=d";
    assert.deepEqual(read({ url }, "query", "role"), ["a", "b", "c"]);
    assert.deepEqual(read({ url }, "query", "user.role"), ["d"]);
    assert.deepEqual(read({ url }, "query", " role"), ["b"]);
    assert.deepEqual(read({ url: "/??role=e" }, "query", "role"), ["e"]);
    assert.deepEqual(read({ url: "/??role=e" }, "query", "?role"), ["e"]);
  });

  it("are derived from the headers", () => {
    const headers = {
      HOST: ["A.example:80", "b.example"],
      "X-Many": ["1", "2"],
      "x-many": "3",
      "X-None": [],
      "User-Agent": ["one", "two"],
      Cookie: ["a=1; b = 2 ;\tc; ;=d", "a=%31"],
    };
    assert.deepEqual(read({ url: "http://c.example/", headers }, "host"), ["a.example"]);
    assert.deepEqual(read({ headers }, "header", "x-MANY"), ["1", "2", "3"]);
    assert.deepEqual(read({ headers }, "header", "x-none"), []);
    assert.deepEqual(read({ headers }, "user_agent"), ["one", "two"]);
    assert.deepEqual(read({ headers: { "user-agent": [] } }, "user_agent"), []);
    assert.deepEqual(read({ headers }, "cookie", "a"), ["1", "%31", "1"]);
    assert.deepEqual(read({ headers }, "cookie", "b"), ["2", " 2 "]);
    assert.deepEqual(read({ headers }, "cookie", "c"), [""]);
    assert.deepEqual(read({ headers }, "cookie", ""), ["c", "d"]);
    assert.deepEqual(read({ headers }, "cookie", "A"), []);
    const quoted = { cookie: 'e="x%20y"; %66=g; h="' };
    assert.deepEqual(read({ headers: quoted }, "cookie", "e"), ['"x%20y"', '"x y"', "x%20y", "x y"]);
    assert.deepEqual(read({ headers: quoted }, "cookie", "f"), ["g"]);
    assert.deepEqual(read({ headers: quoted }, "cookie", "h"), ['"']);
    const escaped = String.raw`role="\141d\min\"\073"`;
    assert.deepEqual(read({ headers: { cookie: escaped } }, "cookie", "role"), [
      String.raw`"\141d\min\"\073"`,
      String.raw`\141d\min\"\073`,
      'admin";',
    ]);
    assert.deepEqual(read({ url: "http://c.example/", headers: { host: "" } }, "host"), []);
    assert.deepEqual(read({ headers: JSON.parse('{"__proto__":"x","constructor":"y"}') }, "header", "__proto__"), [
      "x",
    ]);
    assert.deepEqual(read({}, "header", "constructor"), []);
  });

  it("of cookies are at the names that applications read", () => {
    const cookies = [
      "role[]=admin",
      "role[]x=admin",
      "user[role]=admin; role=admin",
      "\u00a0role=admin",
      "role =admin",
      "[role]=admin",
    ];
    for (const cookie of cookies) assert.deepEqual(read({ headers: { cookie } }, "cookie", "role"), ["admin"], cookie);
    assert.deepEqual(read({ headers: { cookie: "user[role]=a+b" } }, "cookie", "user.role"), ["a+b", "a b"]);
    assert.deepEqual(read({ headers: { cookie: "a.b=%zz%41" } }, "cookie", "a_b"), ["%zz%41", "%zzA"]);
    assert.deepEqual(read({ headers: { cookie: "a= 1 ;b" } }, "cookie", "a"), ["1", " 1 "]);
    assert.deepEqual(read({ headers: { cookie: "=x;secret" } }, "cookie", ""), ["x", "secret"]);
  });

  it("are the attributes themselves, including empty ones, and none when an attribute is missing", () => {
    assert.deepEqual(read({}, "method"), ["GET"]);
    assert.deepEqual(read({ method: "post" }, "method"), ["POST"]);
    assert.deepEqual(read({ route: "" }, "route"), [""]);
    const attributes: RequestAttributes = {
      url: "/",
      protocol: "HTTP/2.0",
      geo: { continent: "EU", country: "DE", region: "BE", city: "Berlin", asNumber: 3320 },
      ja3: "j3",
      ja4: "j4",
      region: "fra1",
      environment: "production",
      domainEnvironment: "preview",
      route: "/[slug]",
      serverAction: "act",
      rateLimitApiId: "rl",
      bot: { name: "n", category: "c", status: "s", protection: "p" },
      trafficSource: "t",
      trustedSource: "u",
      rulesets: ["one", "two"],
    };
    const expected: Partial<Record<Condition["type"], readonly string[]>> = {
      protocol: ["HTTP/2.0"],
      geo_continent: ["EU"],
      geo_country: ["DE"],
      geo_country_region: ["BE"],
      geo_city: ["Berlin"],
      geo_as_number: ["3320"],
      ja3_digest: ["j3"],
      ja4_digest: ["j4"],
      region: ["fra1"],
      environment: ["production"],
      domain_environment: ["preview"],
      route: ["/[slug]"],
      server_action: ["act"],
      rate_limit_api_id: ["rl"],
      bot_name: ["n"],
      bot_category: ["c"],
      bot_status: ["s"],
      bot_protection: ["p"],
      traffic_source: ["t"],
      trusted_source: ["u"],
      ruleset: ["one", "two"],
    };
    for (const [type, values] of Object.entries(expected)) {
      assert.deepEqual(read(attributes, type as Condition["type"]), values, type);
      assert.deepEqual(read({}, type as Condition["type"]), [], type);
    }
  });

  it("include addresses in every notation", () => {
    const addressOf = (ip: string) => new RequestView({ url: "/", ip }).address;
    assert.deepEqual(addressOf("1.2.3.4"), [0x01020304]);
    assert.deepEqual(addressOf("::ffff:1.2.3.4"), [0x01020304]);
    assert.deepEqual(addressOf("::FFFF:102:304"), [0x01020304]);
    assert.deepEqual(addressOf("255.255.255.255"), [0xffffffff]);
    assert.deepEqual(addressOf("2001:DB8::1"), [0x20010db8, 0, 0, 1]);
    for (const text of [
      "",
      "1.2.3",
      "01.2.3.4",
      "1.2.3.256",
      "1.2.3.4 ",
      "0x1.2.3.4",
      "1::2::3",
      "[::1]",
      "a".repeat(1e6),
    ]) {
      assert.equal(addressOf(text), undefined, text.slice(0, 20));
    }
  });
});
