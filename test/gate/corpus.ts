// One configuration and the requests that every way in front of an application has to decide alike, and as `evaluate` predicts.
import type { Body } from "../harness/test-app.ts";
import { roomyWindow } from "./roomy-window.ts";

const rule = (name: string, mitigate: object, ...conditions: object[]) => ({
  name,
  active: true,
  conditionGroup: [{ conditions }],
  action: { mitigate },
});
const onPath = (value: string) => ({ type: "path", op: "pre", value });

/** Addresses are of loopback, so that a test can send from them. */
export const CONFIGURATION = {
  firewallEnabled: true,
  ips: [
    { hostname: "*", ip: "127.0.0.66", action: "deny" },
    { hostname: "*", ip: "127.0.0.67", action: "challenge" },
  ],
  rules: [
    rule("office", { action: "bypass" }, { type: "ip_address", op: "eq", value: "127.0.0.9" }),
    rule("admin", { action: "deny" }, onPath("/admin")),
    rule("trace", { action: "deny" }, { type: "method", op: "eq", value: "DELETE" }),
    rule("token", { action: "deny" }, { type: "header", key: "x-token", op: "eq", value: "stolen" }),
    rule("twice", { action: "deny" }, { type: "header", key: "x-many", op: "eq", value: "second" }),
    rule("cookie", { action: "deny" }, { type: "cookie", key: "bad", op: "ex" }),
    rule("query", { action: "deny" }, { type: "query", key: "q", op: "re", value: "union\\s+select" }),
    rule("raw", { action: "deny" }, { type: "raw_path", op: "sub", value: "%2e%2e" }),
    rule("host", { action: "deny" }, { type: "host", op: "eq", value: "old.test" }),
    rule("forwarded", { action: "deny" }, { type: "header", key: "x-forwarded-for", op: "ex" }),
    rule("login", { action: "challenge" }, onPath("/login")),
    rule(
      "moved",
      { action: "redirect", redirect: { location: "https://example.com/new?a=1", permanent: true } },
      onPath("/moved"),
    ),
    rule("noted", { action: "log" }, onPath("/noted")),
    rule(
      "limit",
      {
        action: "rate_limit",
        rateLimit: { algo: "fixed_window", window: roomyWindow(), limit: 2, keys: ["ip"], action: "rate_limit" },
      },
      onPath("/limited"),
    ),
    rule(
      "bucket",
      {
        action: "rate_limit",
        rateLimit: { algo: "token_bucket", window: 3_600, limit: 2, keys: ["header:x-user"], action: "deny" },
      },
      onPath("/bucket"),
    ),
  ],
  managedRules: { bot_protection: { active: true }, ai_bots: { active: true } },
};

export interface CorpusRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly host: string;
  readonly ip: string;
}

interface Parts {
  readonly method?: string;
  readonly headers?: CorpusRequest["headers"];
  readonly host?: string;
  readonly ip?: string;
}

const BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36";

function get(target: string, { method = "GET", headers = {}, host = "shop.test", ip = "127.0.0.8" }: Parts = {}) {
  return { method, target, host, ip, headers: { "user-agent": BROWSER, ...headers } };
}

export const REQUESTS: readonly CorpusRequest[] = [
  get("/"),
  get("/index.html?a=b&c=%20d"),
  get("/admin"),
  get("//admin"),
  get("/x/..;/admin/users"),
  get("/%61dmin"),
  get("/ADMIN"),
  get("/a%2Fb%2e%2e/c"),
  get("/", { method: "DELETE" }),
  get("/", { method: "POST" }),
  get("/", { method: "OPTIONS" }),
  get("/", { method: "PROPFIND" }),
  get("/", { headers: { "x-token": "stolen" } }),
  get("/", { headers: { "x-token": "fine" } }),
  get("/", { headers: { "X-Many": ["first", "second"] } }),
  get("/", { headers: { cookie: "good=1; bad=2" } }),
  get("/", { headers: { cookie: "good=1" } }),
  get("/search?q=UNION%20%20SELECT"),
  get("/search?q=reunion+selection"),
  get("/", { host: "old.test" }),
  get("/", { host: "OLD.test:8080" }),
  get("/", { headers: { "x-forwarded-for": "203.0.113.7" } }),
  get("/login"),
  get("/moved/away"),
  get("/noted"),
  get("/limited"),
  get("/limited"),
  get("/limited"),
  get("/limited", { ip: "127.0.0.7" }),
  get("/bucket", { headers: { "x-user": "one" } }),
  get("/bucket", { headers: { "x-user": "one" } }),
  get("/bucket", { headers: { "x-user": "one" } }),
  get("/bucket", { headers: { "x-user": "two" } }),
  get("/", { ip: "127.0.0.66" }),
  get("/", { ip: "127.0.0.67" }),
  get("/admin", { ip: "127.0.0.9" }),
  get("/", { headers: { "user-agent": "curl/8.5.0" } }),
  get("/", { headers: { "user-agent": "GPTBot/1.2" } }),
  get(`/long?${"a".repeat(3_000)}`),
];

/** What `evaluate` takes: the client's own headers, without those that proxies add. */
export function attributesOf({ method, target, headers, host, ip }: CorpusRequest): Body {
  const own = Object.entries(headers).filter(([name]) => !name.startsWith("x-forwarded-"));
  return { url: `http://${host}${target}`, method, ip, headers: { ...Object.fromEntries(own), host } };
}
