// Generates sequences of requests that often match configurations from the same pools.
import fc from "fast-check";
import type { BypassEntry, BypassRule, ProtectionContext } from "../../src/firewall/evaluator/protection-context.ts";
import type { RequestAttributes } from "../../src/firewall/evaluator/request/attributes.ts";
import { unsharedGroups } from "./arbitraries.ts";
import { definedMembers } from "./defined-members.ts";
import {
  ADDRESSES,
  AGENTS,
  COOKIE_NAMES,
  HEADER_NAMES,
  HOST_PATTERNS,
  HOSTS,
  NESTED_NAMES,
  ODD_NUMBERS,
  PATHS,
  QUERY_NAMES,
  VALUES,
  WIDE_NETWORKS,
  WORDS,
} from "./pools.ts";
import { xmlBodies } from "./xml-bodies.ts";

type Geo = NonNullable<RequestAttributes["geo"]>;
type Bot = NonNullable<RequestAttributes["bot"]>;

const oftenThere = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 6 });

const percent = (text: string) =>
  Array.from(new TextEncoder().encode(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

/** Another spelling of the same path, or a near miss. */
const MANNERS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => encodeURI(text),
  (text) => encodeURI(text).toLowerCase(),
  (text) => text.slice(0, 1) + percent(text.slice(1, 2)) + text.slice(2),
  (text) => text.slice(0, 1) + percent(percent(text.slice(1, 2))) + text.slice(2),
  (text) => `${text}/`,
  (text) => `/x/..${text}`,
  (text) => `/.${text}`,
  (text) => `/%2e%2E${text}`,
  (text) => `${text}/a/..`,
  (text) => `/${text}`,
  (text) => text.replaceAll("/", "\\"),
  (text) => text.replace("/", "/%5C"),
  (text) => `/x/..;${text}`,
  (text) => `/;a=b${text};c`,
  (text) => `/x%252f..${text}//`,
  (text) => text.replaceAll("k", "\u212a").replaceAll("s", "\u017f"),
  (text) => text.replaceAll(" ", "+"),
  (text) => inLatin(text),
];
/** What not every application decodes. */
const BROKEN_MANNERS: readonly ((text: string) => string)[] = [
  (text) => `${encodeURI(text)}%`,
  (text) => `%zz${encodeURI(text)}`,
  (text) => text.replace(/^./, (letter) => `%${letter.charCodeAt(0).toString(16)}%ff`),
  (text) => inLatin(encodeURIComponent(text)).replaceAll("%C3", ""),
];
/** As Node.js gives a text that a client sends in UTF-8. */
function inLatin(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}
const manner = fc.constantFrom(...MANNERS);
const mannered = (values: readonly string[]) =>
  fc.tuple(fc.constantFrom(...values), manner).map(([text, change]) => change(text));

const authority = fc
  .tuple(
    fc.constantFrom(...HOSTS, "KITE.test", "\u212aite.test", "[2001:db8::1]"),
    fc.constantFrom("", "", "", ":443", ".", ".:80", ":"),
    fc.constantFrom("", "", "user@", "user:pass@"),
  )
  .map(([host, end, user]) => user + host + end);
const origin = fc
  .tuple(fc.constantFrom("http", "https", "HTTPS"), authority)
  .map(([scheme, place]) => `${scheme}://${place}`);

const pair = fc.tuple(
  fc.constantFrom(...QUERY_NAMES, ...NESTED_NAMES),
  manner,
  fc.constantFrom(...WORDS, ...ODD_NUMBERS),
  fc.oneof({ weight: 6, arbitrary: manner }, fc.constantFrom(...BROKEN_MANNERS)),
);
const query = fc
  .array(fc.tuple(pair, fc.constantFrom("&", "&", "&", ";", "; ", "]=")), { maxLength: 2 })
  .map((pairs) =>
    pairs.map(([[name, a, value, b], end]) => `${a(name).replaceAll("/", "")}=${b(value)}${end}`).join(""),
  );
const url = fc
  .tuple(
    fc.oneof(origin, fc.constant("")),
    mannered(PATHS),
    fc.constantFrom("?", "?", "?", "??"),
    query,
    fc.constantFrom("", "", "", "#top?a=one"),
  )
  .map(([start, path, mark, search, fragment]) => start + path + (search && mark + search) + fragment);

const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 1, arbitrary: fc.constantFrom(...WORDS).map(inLatin) },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_NUMBERS) },
);
const someValues = fc.oneof(
  { weight: 3, arbitrary: value },
  { weight: 1, arbitrary: fc.array(value, { maxLength: 3 }) },
);
const ODD_COOKIE_NAMES = ["%73id", "sid[]", "theme[0]", "sid[theme]", "s.id", "\u00a0sid", "sid ", "%sid"] as const;
const octal = (character: string) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`;
const COOKIE_MANNERS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `"${text}"`,
  (text) => encodeURIComponent(text),
  (text) => text.replace(/[aeiou]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (text) => `"${text.replace(/[a-z]/, octal)}"`,
  (text) => `"\\${text}"`,
  (text) => text.replaceAll(" ", "+"),
  (text) => `${text}%`,
  (text) => ` ${text}\t`,
  (text) => `"%e9${text}"`,
  inLatin,
];
const cookie = fc
  .array(fc.tuple(fc.constantFrom(...COOKIE_NAMES, ...ODD_COOKIE_NAMES), value, fc.constantFrom(...COOKIE_MANNERS)), {
    maxLength: 3,
  })
  .map((pairs) => pairs.map(([name, text, write]) => `${name}=${write(text)}`).join("; "));
/** What says how a body is read, or does not. */
const bodyHeader = fc.tuple(
  fc.constantFrom("content-type", "Content-Type"),
  fc.constantFrom(
    "application/json",
    "application/json; charset=utf-8",
    "application/json; charset=latin1",
    "application/x-www-form-urlencoded",
    "application/x-www-form-urlencoded; charset=iso-8859-1",
    "text/plain; charset=windows-1252",
    "text/plain; charset=us-ascii",
    "application/xml",
    "text/xml; charset=iso-8859-1",
    "text/plain",
  ),
);
const member = fc.tuple(fc.constantFrom("a", "A", "q"), value);
const json = fc
  .tuple(fc.array(member, { maxLength: 2 }), fc.constantFrom("flat", "list", "nested", "numbers"))
  .map(([members, shape]) => {
    const one = Object.fromEntries(members);
    if (shape === "numbers") return `{"q":1e1,"a":[5.0,-3.00e0,12345678901234567890,-0]}`;
    return JSON.stringify(shape === "flat" ? one : shape === "list" ? { a: [one, "one"] } : { a: one, q: null });
  });
/** What begins like JSON or XML, and is or is not. */
const likeDocuments = fc.constantFrom(
  '{"a":"one"}x',
  '{"a":"one","q":NaN}',
  "[a]=one",
  "[0]=one",
  "{{a}}=one",
  "{a:'one'}",
  '"one"',
  '{"a":"one"}\n\n{"q":"two"}',
  "<a><q>one</q></a>",
  "<a q='one'/>",
  "<a>one",
  " <a>one</a>=",
  "< a=one",
  "<<a>one</a>",
  "<3 one",
  "<!-- -->",
  "\ufeff<a>two</a>",
  "\ufeffa=one",
  "a=str%e4&q=%C3%A4",
  "q=stra\u00dfe",
  '\ufeff{"a":"one"}',
);
const body = fc.oneof(json, query, likeDocuments, xmlBodies, fc.constantFrom(...WORDS));
const header = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...HEADER_NAMES, "X-ONE"), someValues) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom("Host", "host"), authority) },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom("User-Agent", "user-agent"), fc.constantFrom(...AGENTS)) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom("Cookie", "cookie"), fc.oneof(cookie, fc.array(cookie))) },
  { weight: 1, arbitrary: bodyHeader },
);
const headers = fc
  .array(header, { minLength: 1, maxLength: 5 })
  .map((pairs): NonNullable<RequestAttributes["headers"]> => Object.fromEntries(pairs));

const from = (type: keyof typeof VALUES) => oftenThere(fc.constantFrom(...VALUES[type]));
const attack = fc.constantFrom(
  "/etc/passwd",
  "' or 1=1 --",
  "<script>alert(1)</script>",
  "%2Fetc%2Fpa%73swd",
  "a=1&b=2",
);

const client = fc
  .record({
    protocol: from("protocol"),
    geo: oftenThere(
      fc
        .record({
          continent: from("geo_continent"),
          country: from("geo_country"),
          region: from("geo_country_region"),
          city: from("geo_city"),
          asNumber: oftenThere(fc.constantFrom(64_500, "64501", 5)),
        })
        .map((record): Geo => definedMembers(record)),
    ),
    ja3: from("ja3_digest"),
    ja4: from("ja4_digest"),
    region: from("region"),
    environment: from("environment"),
    domainEnvironment: from("domain_environment"),
    route: from("route"),
    serverAction: from("server_action"),
    rateLimitApiId: from("rate_limit_api_id"),
    bot: oftenThere(
      fc
        .record({
          name: from("bot_name"),
          category: from("bot_category"),
          status: from("bot_status"),
          protection: from("bot_protection"),
        })
        .map((record): Bot => definedMembers(record)),
    ),
    trafficSource: from("traffic_source"),
    trustedSource: from("trusted_source"),
    challengePassed: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, true),
    rulesets: oftenThere(fc.array(fc.constantFrom(...VALUES.ruleset), { maxLength: 2 })),
  })
  .map((record): Partial<RequestAttributes> => definedMembers(record));

// Built once, because building them would take most of a run. Shrinking prefers none.
const clients: fc.Arbitrary<Partial<RequestAttributes>> = fc.constantFrom(
  {},
  ...fc.sample(client, { numRuns: 1_000, seed: 1 }),
);

/** The attributes of a request. */
export const request: fc.Arbitrary<RequestAttributes> = fc
  .record({
    url,
    method: oftenThere(fc.constantFrom("GET", "get", "POST", "PUT", "Query")),
    headers: oftenThere(headers),
    ip: oftenThere(fc.constantFrom(...ADDRESSES, ...ADDRESSES, "10.1.2.03", "no address", "fe80::1%eth0")),
    targetPath: fc.option(mannered(PATHS), { nil: undefined, freq: 2 }),
    body: fc.option(fc.oneof({ weight: 3, arbitrary: body }, attack), { nil: undefined, freq: 2 }),
    client: clients,
  })
  .map(({ client: known, ...record }) => ({ ...known, ...definedMembers(record) }) as RequestAttributes);

const bypass: fc.Arbitrary<BypassEntry> = fc.record({
  domain: fc.constantFrom(null, ...HOST_PATTERNS),
  ip: fc.constantFrom(null, ...WIDE_NETWORKS),
});

const bypassRule: fc.Arbitrary<BypassRule> = fc.record({
  domain: fc.constantFrom("*", ...HOST_PATTERNS),
  conditionGroup: unsharedGroups,
});

const quiet: ProtectionContext = { isAttackMode: false, bypasses: [] };
export const protectionContext: fc.Arbitrary<ProtectionContext> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(quiet) },
  {
    weight: 1,
    arbitrary: fc.record({
      isAttackMode: fc.boolean(),
      bypasses: fc.array(bypass, { maxLength: 2 }),
      bypassRules: fc.array(bypassRule, { maxLength: 2 }),
    }),
  },
);

/** Milliseconds between two requests: none, close to the ends of windows and holds, and far beyond. */
export const pause = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 9_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(1_000, 2_000, 3_000) },
  { weight: 1, arbitrary: fc.constantFrom(9_999, 10_000, 10_001, 59_999, 60_000, 60_001, 300_000, 3_600_000) },
);
/** Any millisecond, or a whole minute. */
export const start = fc.oneof(
  fc.integer({ min: 1_700_000_000_000, max: 1_700_003_600_000 }),
  fc.integer({ min: 28_333_333, max: 28_333_400 }).map((minute) => minute * 60_000),
);
