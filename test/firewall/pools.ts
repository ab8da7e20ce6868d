// Small pools of values that configurations and requests share, so that matches, near misses and multiple matches occur.
import type { ConditionType } from "../../src/firewall/evaluator/config.ts";

export const HOSTS = ["example.com", "www.example.com", "api.example.com", "a.b.example.com", "kite.test"] as const;
export const HOST_PATTERNS = [
  "*",
  "example.com",
  "*.example.com",
  "*.b.example.com",
  "WWW.Example.com",
  "*.test",
] as const;
export const PATHS = ["/", "/admin", "/admin/users", "/api/v1", "/api/v2/items", "/Straße", "/kit"] as const;
export const ADDRESSES = [
  "10.1.2.3",
  "::ffff:10.1.2.3",
  "10.1.2.4",
  "10.1.9.9",
  "192.0.2.200",
  "2001:db8::1",
  "2001:DB8:0:0:0::1",
  "2001:db8:0:7::9",
] as const;
/** Networks of at least /16 or /48, as address entries require. */
export const NETWORKS = [
  "10.1.0.0/16",
  "10.1.2.0/24",
  "10.1.2.0/23",
  "10.1.2.3",
  "10.1.2.4/32",
  "10.1.2.77/24",
  "192.0.2.128/25",
  "2001:db8::/48",
  "2001:db8::/64",
  "2001:db8:0:0::1/127",
  "2001:db8::1",
  "2001:db8:0:4::/62",
] as const;
export const WIDE_NETWORKS = [...NETWORKS, "0.0.0.0/0", "::/0", "10.0.0.0/8", "2000::/3"] as const;
export const NUMBERS = ["5", "10", "-3", "10.0", "9.75", "64500"] as const;
/** In other notations, and what is none. */
export const ODD_NUMBERS = [
  ..."1e1 +5 0x5 5. .5 1_0 \uff15 \u0661\u0660 -inf Infinity 0b101 64500e0 1E+1_0 -0o5".split(" "),
  ..." 5|5\n|\u00a05|ten|| |1__0|5e|e5|0x|5,0|+-5|5 0|1_|NaN|\u00b2".split("|"),
];
export const AGENTS = [
  "curl/8.5.0",
  "Mozilla/5.0 (X11)",
  "GPTBot/1.2",
  "python-requests/2.31",
  "\u00b5\u2126\u03c3",
] as const;
export const WORDS = [
  "one",
  "One Two",
  "two",
  "K",
  "\u212a",
  "stra\u00dfe",
  "x=1",
  "\u017fum",
  "\u039f\u0394\u039f\u03a3",
  "\u2126",
  ...NUMBERS,
] as const;
export const HEADER_NAMES = ["x-one", "X-Two", "accept", "X-KEY"] as const;
export const QUERY_NAMES = ["a", "A", "q", "a b", "a.q"] as const;
/** What requests call parameters besides: applications read them as those above. */
export const NESTED_NAMES = [
  ..."a[] q[0] a[q] [q] a\0b q[]x a[q]] a]q a[[q] a[0][q] a[][q] a[q]x[a] a.q a[q][ a[q[x]] a[0].q q]".split(" "),
  ..."  q| a[q]|a[ ][q]|a b[|[a][1][2][3][4][5][q]|a[q][1][1][1][1][1]|a[b][c][d][e][f][g]".split("|"),
];
export const COOKIE_NAMES = ["sid", "SID", "theme"] as const;
/** Of values of bodies, as conditions name them. */
export const BODY_NAMES = ["*", "a", "A", "a.q", "q", "a.@q"] as const;

/** What a condition of a type is compared with, and what a request may have there. */
export const VALUES: Readonly<Record<ConditionType, readonly string[]>> = {
  host: HOSTS,
  path: PATHS,
  raw_path: PATHS,
  target_path: PATHS,
  route: ["/items/[id]", "/admin", "/[...all]"],
  method: ["GET", "POST", "PUT", "QUERY"],
  header: WORDS,
  query: WORDS,
  cookie: WORDS,
  body: WORDS,
  ip_address: WIDE_NETWORKS,
  region: ["fra1", "iad1", "SIN1"],
  protocol: ["HTTP/1.1", "HTTP/2.0"],
  scheme: ["http", "https"],
  environment: ["preview", "production"],
  domain_environment: ["preview", "main"],
  user_agent: AGENTS,
  geo_continent: ["EU", "NA", "AS"],
  geo_country: ["DE", "FR", "US"],
  geo_country_region: ["BE", "CA", "NRW"],
  geo_city: ["Berlin", "K\u00f6ln", "\u03bf\u03b4\u03cc\u03c2", "\u0130stanbul"],
  geo_as_number: ["64500", "64501", "5"],
  ja4_digest: ["t13d1516h2_8daaf6152771_e5627efa2ab1", "t13d"],
  ja3_digest: ["e7d705a3286e19ea42f587b344ee6865", "e7d7"],
  rate_limit_api_id: ["api_one", "api_two"],
  server_action: ["submit", "remove"],
  bot_name: ["googlebot", "gptbot"],
  bot_category: ["search_engine", "ai_crawler", "scraper"],
  bot_status: ["verified", "unverified"],
  bot_protection: ["human", "bot"],
  shared_condition: ["shared_0", "shared_1", "shared_2"],
  traffic_source: ["tor", "hosting", "botnet", "direct"],
  ruleset: ["known_bad", "beta"],
  trusted_source: ["office", "ci"],
};
