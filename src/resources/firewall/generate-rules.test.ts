import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition, Mitigation } from "../../evaluator/config.ts";
import { generateRule } from "./generate-rules.ts";

function ruleOf(prompt: string) {
  const generated = generateRule(prompt);
  assert.ok("rule" in generated, `${prompt}: ${JSON.stringify(generated)}`);
  return generated.rule;
}

/** The conditions as text, groups joined by `|` and conditions by `&`. */
function conditionsOf(prompt: string): string {
  const short = ({ type, op, neg, key, value }: Condition) =>
    [neg ? "not" : "", type, key ?? "", op, [value ?? []].flat().join(",")].filter((part) => part !== "").join(" ");
  return ruleOf(prompt)
    .conditionGroup.map(({ conditions }) => conditions.map(short).join(" & "))
    .join(" | ");
}

function actionOf(prompt: string): Mitigation {
  const { mitigate } = ruleOf(prompt).action;
  assert.ok(mitigate);
  return mitigate;
}

function errorOf(prompt: string): string {
  const generated = generateRule(prompt);
  assert.ok("error" in generated, `${prompt}: ${JSON.stringify(generated)}`);
  return generated.error;
}

const CONDITIONS: readonly (readonly [string, string])[] = [
  ["block path /admin", "path pre /admin"],
  ["Block requests to /admin.", "path pre /admin"],
  ["block /admin/*", "path pre /admin/"],
  ["block path is /admin", "path eq /admin"],
  ["block path is exactly /admin", "path eq /admin"],
  ["block paths ending with .php or .asp", "path suf .php | path suf .asp"],
  ["block requests where path contains .php", "path sub .php"],
  ["block path matching ^/v[0-9]+/", "path re ^/v[0-9]+/"],
  ["block path does not start with /a", "not path pre /a"],
  ["block not path /admin", "not path pre /admin"],
  ["challenge requests from country DE", "geo_country eq DE"],
  ["challenge country de, fr and IT", "geo_country inc DE,FR,IT"],
  ["block requests from Germany, the United Kingdom or the USA", "geo_country inc DE,GB,US"],
  ["block requests to /wp-admin from outside the US", "path pre /wp-admin & not geo_country eq US"],
  ["block country not in DE, FR", "not geo_country inc DE,FR"],
  ["challenge visitors from Asia and South America", "geo_continent inc AS,SA"],
  ["deny user agent curl", "user_agent sub curl"],
  ["block the user agent: curl", "user_agent sub curl"],
  ['block user agent "and or", curl', "user_agent sub and or | user_agent sub curl"],
  [
    "block user agent curl or wget and country US",
    "user_agent sub curl & geo_country eq US | user_agent sub wget & geo_country eq US",
  ],
  ["block ip 1.2.3.4", "ip_address eq 1.2.3.4"],
  ["block 1.2.3.4, 2001:db8::/48", "ip_address inc 1.2.3.4,2001:db8::/48"],
  ["allow ip 10.0.0.0/16 and host example.com", "ip_address eq 10.0.0.0/16 & host eq example.com"],
  ["block host *.example.com", "host suf .example.com"],
  ["block POST and PUT requests to /login", "method inc POST,PUT & path pre /login"],
  ["log header x-debug is 1", "header x-debug eq 1"],
  ["log header x-debug is not 1", "not header x-debug eq 1"],
  ["log header x-a and cookie b contains c", "header x-a ex & cookie b sub c"],
  ["log requests without cookie session", "not cookie session ex"],
  ["log query parameter debug", "query debug ex"],
  ["block AS64512", "geo_as_number eq 64512"],
  ["block as number 64512 or 64513", "geo_as_number inc 64512,64513"],
  ["block everything", "path pre /"],
  ["block everything except path /public and /health", "not path pre /public & not path pre /health"],
  ["block all requests except path /a and not host b.example", "not path pre /a & not host eq b.example"],
  ["block path /a or path /b and user agent bot", "path pre /a | path pre /b & user_agent sub bot"],
  ["block path /a and path /b and country DE", "path pre /a & geo_country eq DE | path pre /b & geo_country eq DE"],
  ["block country DE or path /a", "geo_country eq DE | path pre /a"],
];

for (const [prompt, expected] of CONDITIONS) {
  test(`${prompt} is about ${expected}`, () => assert.equal(conditionsOf(prompt), expected));
}

const limit = (count: number, window: number, ...keys: string[]): Mitigation => ({
  action: "rate_limit",
  rateLimit: { algo: "fixed_window", window, limit: count, keys },
});

const ACTIONS: readonly (readonly [string, Mitigation])[] = [
  ["Please create a rule to block /a", { action: "deny" }],
  ["challenge /a", { action: "challenge" }],
  ["log /a", { action: "log" }],
  ["let through 10.0.0.0/16", { action: "bypass" }],
  ["block /a for 5 minutes", { action: "deny", actionDuration: "5m" }],
  ["challenge /a for 1 hour", { action: "challenge", actionDuration: "1h" }],
  ["rate limit /api to 100 per minute", limit(100, 60, "ip")],
  ["Rate limit /api to 100 requests per minute by IP", limit(100, 60, "ip")],
  ["limit /api to 1,000/hour by ip and host", limit(1_000, 3_600, "ip", "host")],
  ["throttle requests to /api to 5 per 10 seconds per header x-api-key", limit(5, 10, "header:x-api-key")],
  ["limit everything to 5 per second", limit(50, 10, "ip")],
  ["limit /api to 9 a minute for 15 minutes", { ...limit(9, 60, "ip"), actionDuration: "15m" }],
  ["redirect /old to /new", { action: "redirect", redirect: { location: "/new", permanent: false } }],
  [
    "redirect path /old to https://example.com/new permanently",
    { action: "redirect", redirect: { location: "https://example.com/new", permanent: true } },
  ],
];

for (const [prompt, expected] of ACTIONS) {
  test(`${prompt} does what it says`, () => assert.deepEqual(actionOf(prompt), expected));
}

test("a path that is redirected is meant as a whole: what lies below it would go round in circles", () => {
  assert.equal(conditionsOf("redirect /old to /old/new"), "path eq /old");
});

test("a rule is called as it was asked for, and says how that was understood", () => {
  const { name, description, active } = ruleOf("  block path /admin and\n not country DE for 5 minutes. ");
  assert.equal(name, "Block path /admin and not country DE for 5 minutes");
  assert.equal(description, "deny for 5m: path begins with /admin and not (geo country is DE)");
  assert.equal(active, true);
  const long = ruleOf(`block user agent ${"a".repeat(600)}`);
  assert.deepEqual([long.name.length, long.description.length], [160, 260]);
});

test("what is not understood is named, and with it what is", () => {
  const cases: [string, string][] = [
    ["", "what to do with the requests"],
    ["make me a sandwich", "what to do with the requests"],
    ["block", "which requests are meant"],
    ["block path", "no value for path"],
    ["block bots", '"bots"'],
    ["block path /a on mondays", '"mondays"'],
    ["block country Atlantis", "value: expected a country's code"],
    ["block path matching ^/a(b", "value: expected an RE2 expression"],
    ["block path /a for 7 minutes", "a duration other than"],
    ["log path /a for 5 minutes", '"5"'],
    ["rate limit /a", "how many requests"],
    ["rate limit /a to 5 per day", "seconds, minutes or hours"],
    ["rate limit /a to 5 per constructor", "seconds, minutes or hours"],
    ["rate limit /a to 5 per minute by constructor", '"constructor"'],
    ["rate limit /a to 5 per 2 hours", "window: expected"],
    ["redirect /a", "where to"],
    ["redirect /a to elsewhere", "location: expected"],
    ["block everything except path /a and host b.example", "whether the exception goes on"],
    [`block user agent ${"x, ".repeat(40)}y`, "conditionGroup: expected at most 25"],
  ];
  for (const [prompt, named] of cases) {
    const error = errorOf(prompt);
    assert.ok(error.includes(named), `${prompt}: ${error}`);
    assert.ok(error.includes("For example: block path /admin"), error);
  }
});

test("no text whatsoever makes it throw", () => {
  const words = [
    "block",
    "to",
    "for",
    "5",
    "per",
    "by",
    ",",
    "or",
    "not",
    "except",
    "path",
    "header",
    '"',
    "'",
    "/a",
    "US",
    "is",
    "limit",
    "redirect",
  ];
  let seed = 1;
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let round = 0; round < 5_000; round++) {
    const prompt = Array.from({ length: next(12) }, () => words[next(words.length)]).join(" ");
    const generated = generateRule(prompt);
    assert.ok("rule" in generated || generated.error.length > 0, prompt);
  }
});
