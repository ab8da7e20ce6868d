// Examples of what docs/firewall.md specifies, with the expected decision worked out by hand.
import type { Condition, Mitigation } from "../../src/firewall/evaluator/config.ts";
import type { RequestAttributes } from "../../src/firewall/evaluator/request/attributes.ts";
import { OFF, at, reads, rule } from "./page-example.ts";
import type { PageExample } from "./page-example.ts";
import { PATHS } from "./page-path-examples.ts";

const from = (...ips: readonly string[]): RequestAttributes[] => ips.map((ip) => ({ url: "/", ip }));
const withHost = (...hosts: readonly string[]): RequestAttributes[] =>
  hosts.map((host) => ({ url: "/", headers: { Host: host } }));

const CONDITIONS: readonly PageExample[] = [
  reads(
    "a host loses user, port and one dot",
    { type: "host", op: "eq", value: "example.com" },
    [
      ...withHost("example.com", "Example.COM:8080", "example.com.", "u:p@example.com:", "u@example.com.:1"),
      { url: "https://u@EXAMPLE.com:443/a" },
      { url: "https://example.com?a" },
      { url: "https://other.test", headers: { hOST: ["example.com", "other.test"] } },
    ],
    [...withHost("example.com..", "www.example.com", "example.com:80a", ""), { url: "//example.com/" }],
  ),
  reads(
    "an address in brackets keeps its colons",
    { type: "host", op: "eq", value: "[::1]" },
    withHost("[::1]", "[::1]:443"),
  ),
  reads(
    "a query parameter may occur several times",
    { type: "query", key: "a b", op: "eq", value: "c d=" },
    at("/?a+b=1&&a%20b=c+d=", "?a%20b=C%20d%3d"),
    at("/?A+b=c+d=", "/?a%2520b=c+d=", "/#?a+b=c+d=", "/?a+b=c%2Bd="),
  ),
  reads(
    "a cookie is read as it was sent, and decoded",
    { type: "cookie", key: "sid", op: "eq", value: "a b" },
    [
      { url: "/", headers: { cookie: ["x=1;  sid\t= a%20b ;y", "z=2"] } },
      ...["sid=a b", 'sid="a b"', 'sid="a\\040b"', "sid=a+b", "%73id=a+b", "sid[]=a b", "\u00a0sid=a b"].map(
        (cookie) => ({
          url: "/",
          headers: { cookie },
        }),
      ),
    ],
    [{ url: "/", headers: { cookie: "SID=a%20b; sidx=a b" } }],
  ),
  reads(
    "a field has all names that applications give it",
    { type: "query", key: "user.role", op: "eq", value: "admin" },
    at(
      ..."user[role] user[role]] user[role]x user[][role] user[0][role] [user][role] user]role user[[role] user.role"
        .split(" ")
        .map((name) => `/?${name}=admin`),
      "/?a=1;user[role]=admin",
      "/?+user%00=1&%20user%5Brole%5D=admin",
      "/?user[role][x]=x&user[role=admin",
    ),
    at("/?user=admin", "/?role=admin", "/?user=role=admin"),
  ),
  reads(
    "for qs a name ends at the first bracket with an equals sign",
    { type: "query", key: "a.b=c", op: "eq", value: "d" },
    at("/?a[b=c]=d", "/?a[b=c%5D=d"),
    at("/?a[b=c=d"),
  ),
  reads(
    "a key of digits is an item and a member",
    { type: "query", key: "a.0.b", op: "ex" },
    at("/?a[0][b]=1", "/?a[0][][1][b]=1"),
    at("/?a[][b]", "/?a[1][b]"),
  ),
  ...["stra\u00dfe \u043a", "stra\u00c3\u009fe \u00d0\u00ba"].map((value) =>
    reads(`heads in UTF-8 are read as UTF-8 and as Latin-1: ${value}`, { type: "header", key: "x", op: "sub", value }, [
      { url: "/", headers: { x: "Stra\u00dfe \u043a" } },
      { url: "/", headers: { x: ["y", "Stra\u00c3\u009fe \u00d0\u00ba"] } },
    ]),
  ),
  reads(
    "a query in Latin-1 is read as Latin-1",
    { type: "query", key: "n", op: "eq", value: "\u00e4" },
    at("/?n=\u00e4", "/?n=\u00c3\u00a4", "/?n=%c3%a4", "/?n=%e4"),
    at("/?n=a"),
  ),
  reads(
    "an empty value exists",
    { type: "cookie", key: "sid", op: "ex" },
    [{ url: "/", headers: { cookie: "sid" } }],
    [{ url: "/", headers: { cookie: [] } }],
  ),
  reads(
    "a missing value is unequal to every value",
    { type: "header", key: "x", op: "neq", value: "1" },
    [{ url: "/" }, { url: "/", headers: { x: "2" } }],
    [{ url: "/", headers: { X: ["2", "1"] } }],
  ),
  reads(
    "case is that of Unicode",
    { type: "user_agent", op: "sub", value: "KITE" },
    [
      { url: "/", headers: { "user-agent": "a \u212aite" } },
      { url: "/", headers: { "user-agent": ["no", "kite"] } },
    ],
    [{ url: "/", headers: { "user-agent": "k\u0130te" } }],
  ),
  reads(
    "expressions fold case as RE2 does",
    { type: "region", op: "re", value: "^sk.$" },
    [
      { url: "/", region: "SK\r" },
      { url: "/", region: "\u017f\u212a1" },
    ],
    [{ url: "/", region: "sk\n" }],
  ),
  reads(
    "an expression may ask for exact case",
    { type: "region", op: "re", value: "(?-i)^sk" },
    [{ url: "/", region: "sk" }],
    [{ url: "/", region: "Sk" }],
  ),
  reads(
    "numbers are compared in every notation",
    { type: "query", key: "n", op: "gt", value: 9.5 },
    at(
      ..."10 9.75 010 1e3 %2B10 %2010 10. +10%0a 1_0 .1e2 0x0a 0b1010 0o12 Infinity inf %EF%BC%91%EF%BC%90"
        .split(" ")
        .map((number) => `/?n=x&n=${number}`),
    ),
    at(
      ..."9.5 -10 x 1__0 10x 1e 1,0e9 NaN -inf _10 %C2%B2%C2%B2".split(" ").map((number) => `/?n=${number}`),
      "/?n=",
      "/",
    ),
  ),
  reads(
    "networks contain addresses in every notation",
    { type: "ip_address", op: "inc", value: ["10.1.2.99/24", "2001:db8::/32"] },
    from("10.1.2.1", "::ffff:10.1.2.200", "::FFFF:0a01:0203", "2001:DB8:0::1"),
    from("10.1.3.1", "10.1.2.01", "2001:db9::", "::10.1.2.1", "2001:db8::1%eth0", ""),
  ),
  reads("an unknown address is in no network", { type: "ip_address", op: "ninc", value: ["0.0.0.0/0"] }, [
    { url: "/" },
    { url: "/", ip: "::1" },
  ]),
];

const MINUTE_RULE: Mitigation = {
  action: "rate_limit",
  rateLimit: { algo: "fixed_window", window: 60, limit: 2, keys: ["ip"] },
};
const first: RequestAttributes = { url: "/", ip: "10.0.0.1" };
const second: RequestAttributes = { url: "/", ip: "10.0.0.2" };
const ANY: Condition = { type: "path", op: "pre", value: "/" };

const COUNTERS: readonly PageExample[] = [
  {
    name: "a window begins at multiples of its length",
    configuration: { ...OFF, rules: [rule([ANY], MINUTE_RULE)] },
    requests: [
      [first, { action: "allow" }, 0],
      [first, { action: "allow" }, 10.5],
      [first, { action: "rate_limit", status: 429, retryAfter: 50 }, 10.5],
      [second, { action: "allow" }, 11],
      [{ ...first, ip: "::ffff:10.0.0.1" }, { action: "rate_limit", retryAfter: 1 }, 59.999],
      [first, { action: "allow" }, 60],
    ],
  },
  {
    name: "a bucket fills evenly",
    configuration: {
      ...OFF,
      rules: [
        rule([ANY], {
          action: "rate_limit",
          rateLimit: { algo: "token_bucket", window: 10, limit: 3, keys: ["ip"], action: "deny" },
        }),
      ],
    },
    requests: [
      [first, { action: "allow" }, 0],
      [first, { action: "allow" }, 0],
      [first, { action: "allow" }, 0],
      [first, { action: "deny", status: 403, retryAfter: 4 }, 0],
      [first, { action: "deny", retryAfter: 1 }, 3.333],
      [first, { action: "allow" }, 3.334],
      [first, { action: "deny", retryAfter: 4 }, 3.334],
    ],
  },
  {
    name: "a hold applies to requests that don't match any more, and is not extended",
    configuration: {
      ...OFF,
      rules: [rule([{ type: "path", op: "eq", value: "/x" }], { action: "challenge", actionDuration: "1m" })],
    },
    requests: [
      [first, { action: "allow" }, 0],
      [{ ...first, url: "/x" }, { action: "challenge", retryAfter: 60 }, 1],
      [first, { action: "challenge", retryAfter: 31, isHeld: true }, 30.5],
      [{ ...first, url: "/x" }, { action: "challenge", retryAfter: 1, isHeld: true }, 60.9],
      [second, { action: "allow" }, 60.9],
      [first, { action: "allow" }, 61],
      [{ url: "/x" }, { action: "challenge" }, 61],
      [{ url: "/" }, { action: "allow" }, 61],
    ],
  },
];

const ORDER: readonly PageExample[] = [
  {
    name: "the longest prefix comes first, then a name, then a pattern, then all",
    configuration: {
      ...OFF,
      ips: [
        { id: "wide", hostname: "example.com", ip: "10.0.0.0/16", action: "deny" },
        { id: "all", hostname: "*", ip: "10.0.1.0/24", action: "deny" },
        { id: "below", hostname: "*.example.com", ip: "10.0.1.0/24", action: "log" },
        { id: "name", hostname: "WWW.example.com", ip: "10.0.1.0/24", action: "log" },
        { id: "one", hostname: "*", ip: "10.0.1.9", action: "bypass" },
      ],
      rules: [rule([ANY], { action: "deny" })],
    },
    requests: [
      [
        { url: "https://www.example.com/", ip: "10.0.1.1" },
        {
          by: { phase: "ip", id: "all", name: null },
          logged: [
            { phase: "ip", id: "name", name: null },
            { phase: "ip", id: "below", name: null },
          ],
        },
      ],
      [{ url: "https://example.com/", ip: "10.0.2.1" }, { by: { phase: "ip", id: "wide", name: null } }],
      [
        { url: "/", ip: "10.0.1.9" },
        { action: "bypass", by: { phase: "ip", id: "one", name: null }, logged: [] },
      ],
      [{ url: "/", ip: "10.0.2.1" }, { by: { phase: "rule", id: "rule_1", name: "rule_1" } }],
    ],
  },
  {
    name: "attack challenge mode lets through clients on the bypass list and requests that a rule lets bypass the system",
    configuration: {
      ...OFF,
      rules: [
        rule([ANY], MINUTE_RULE, "limit"),
        rule([{ type: "path", op: "eq", value: "/in" }], { action: "bypass", bypassSystem: true }, "in"),
      ],
    },
    context: { isAttackMode: true, bypasses: [{ domain: "*.example.com", ip: "10.0.0.0/24" }] },
    requests: [
      [first, { action: "challenge", status: 403, by: { phase: "attack_mode", id: null, name: null } }],
      [
        { ...first, url: "/in" },
        { action: "bypass", by: { phase: "rule", id: "in", name: "in" } },
      ],
      [
        { ...first, url: "https://a.example.com/" },
        { action: "allow", by: null },
      ],
      [{ ...first, url: "https://example.com/" }, { action: "challenge" }],
    ],
  },
  {
    name: "a switched-off firewall decides nothing",
    configuration: { ...OFF, firewallEnabled: false, rules: [rule([ANY], { action: "deny" })] },
    requests: [[first, { action: "allow", status: null, by: null, logged: [] }]],
  },
  {
    name: "a redirect, a rule without an action, and an inactive rule",
    configuration: {
      ...OFF,
      rules: [
        { ...rule([ANY], { action: "deny" }, "idle"), active: false },
        { ...rule([], { action: "deny" }, "empty") },
        rule([ANY], undefined, "noted"),
        rule([ANY], { action: "redirect", redirect: { location: "/b?c", permanent: true } }, "moved"),
      ],
    },
    requests: [
      [
        first,
        {
          action: "redirect",
          status: 301,
          location: "/b?c",
          by: { phase: "rule", id: "moved", name: "moved" },
          logged: [{ phase: "rule", id: "noted", name: "noted" }],
        },
      ],
    ],
  },
];

export const PAGE_EXAMPLES: readonly PageExample[] = [...PATHS, ...CONDITIONS, ...COUNTERS, ...ORDER];
