// Firewall configurations of any size and requests to try on them: most are ordinary and match nothing, one in ten is met
// by a rule.
import type { Condition, Configuration, IpEntry, Rule } from "../src/evaluator/config.ts";
import type { RequestFacts } from "../src/evaluator/facts.ts";

const COUNTRIES = "AF AL DZ AO AR AM AZ BY BZ BJ BT BO BA BW BN BG BF BI KH CM".split(" ");

function low(at: number): string {
  return `${(at >>> 8) & 255}.${at & 255}`;
}

type Conditions = (at: number) => readonly Condition[];

/** Rules on paths, hosts and addresses, in turn. */
const PLAIN: readonly Conditions[] = [
  (at) => [{ type: "path", op: "eq", value: `/old/page-${at}` }],
  (at) => [{ type: "path", op: "pre", value: `/area-${at}/` }],
  (at) => [
    { type: "host", op: "eq", value: `host-${at}.example.com` },
    { type: "path", op: "pre", value: "/internal" },
  ],
  (at) => [{ type: "ip_address", op: "inc", value: [`10.${low(at)}.0/24`, `172.16.${low(at)}/32`] }],
];

/** One rule in five has an expression, one in two reads headers, cookies or parameters. */
const MIXED: readonly Conditions[] = [
  (at) => [
    { type: "path", op: "pre", value: `/area-${at}/` },
    { type: "method", op: "inc", value: ["POST", "PUT"] },
  ],
  (at) => [{ type: "header", key: "x-api-key", op: "eq", value: `key-${at}` }],
  (at) => [{ type: "user_agent", op: "sub", value: `agent-${at}/` }],
  (at) => [
    { type: "geo_country", op: "inc", value: COUNTRIES },
    { type: "path", op: "eq", value: `/checkout-${at}` },
  ],
  (at) => [{ type: "path", op: "re", value: `^/shop/${at}/[a-z0-9-]+/(?:edit|delete)$` }],
  (at) => [{ type: "user_agent", op: "re", value: `(?:crawler|spider|copier)-${at}/\\d+` }],
  (at) => [
    { type: "query", key: `debug-${at}`, op: "ex" },
    { type: "header", key: "authorization", op: "ex", neg: true },
  ],
  (at) => [{ type: "ip_address", op: "inc", value: Array.from({ length: 10 }, (_, of) => `10.${of}.${low(at)}`) }],
  (at) => [{ type: "cookie", key: "session", op: "pre", value: `guest-${at}-` }],
  (at) => [
    { type: "host", op: "suf", value: `.tenant-${at}.example.com` },
    { type: "path", op: "suf", value: ".php" },
  ],
];

export const MIXES = { "path/host/ip": PLAIN, mixed: MIXED } as const;
export type Mix = keyof typeof MIXES;

function ruleAt(at: number, mix: Mix): Rule {
  const conditions = MIXES[mix][at % MIXES[mix].length] as Conditions;
  return {
    id: `rule_${at}`,
    name: `Rule ${at}`,
    active: true,
    conditionGroup: [{ conditions: conditions(at) }],
    action: { mitigate: { action: at % 7 === 0 ? "log" : "deny" } },
  };
}

export function rulesConfiguration(size: number, mix: Mix): Configuration {
  return { firewallEnabled: true, ips: [], rules: Array.from({ length: size }, (_, at) => ruleAt(at, mix)) };
}

function entryAt(at: number): IpEntry {
  const ip =
    at % 3 === 0 ? `11.${low(at)}.0/24` : at % 3 === 1 ? `12.${low(at)}.7` : `2001:db8:${at.toString(16)}::/48`;
  return { id: `ip_${at}`, hostname: at % 5 === 0 ? "www.example.com" : "*", ip, action: "deny" };
}

export function entriesConfiguration(size: number): Configuration {
  return { firewallEnabled: true, rules: [], ips: Array.from({ length: size }, (_, at) => entryAt(at)) };
}

const PATHS = [
  "/",
  "/products/blue-shirt-42",
  "/api/v2/orders",
  "/static/app.4f1a.js",
  "/blog/2026/how-it-works",
  "/search",
];

function ordinaryRequest(at: number): RequestFacts {
  return {
    url: `https://www.example.com${PATHS[at % PATHS.length]}?page=${at}&sort=price`,
    method: at % 4 === 0 ? "POST" : "GET",
    ip: `203.0.${low(at)}`,
    geo: { country: "DE", city: "Berlin", asNumber: 3320 },
    headers: {
      host: "www.example.com",
      "user-agent":
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
      accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
      "accept-language": "de-DE,de;q=0.9,en;q=0.8",
      "accept-encoding": "gzip, deflate, br",
      referer: "https://www.example.com/",
      cookie: `session=member-${at}; theme=dark; consent=all`,
      "sec-fetch-mode": "navigate",
      "sec-fetch-site": "same-origin",
      "x-forwarded-proto": "https",
    },
  };
}

/** Met by the address entries and by a rule of either mix, where there are so many. */
function strikingRequest(at: number): RequestFacts {
  const request = ordinaryRequest(at);
  return [
    { ...request, url: `https://www.example.com/area-${at}/x`, method: "POST" },
    { ...request, ip: `11.${low(at)}.9` },
    { ...request, ip: `10.${low(at)}.9` },
    { ...request, headers: { ...request.headers, "x-api-key": `key-${at}` } },
    { ...request, url: `https://www.example.com/shop/${at}/a-b/edit` },
  ][at % 5] as RequestFacts;
}

const COUNT = 500;

export const REQUESTS: readonly RequestFacts[] = Array.from({ length: COUNT }, (_, at) =>
  at % 10 === 0 ? strikingRequest(at / 10) : ordinaryRequest(at),
);
