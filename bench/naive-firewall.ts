// The straightforward way to decide: every entry and every rule in turn, condition by condition. Only what the samples
// of firewall-samples.ts need; expressions and networks are read once, as anybody would.
import { RE2JS } from "re2js";
import type { Condition, Configuration } from "../src/evaluator/config.ts";
import type { RequestFacts } from "../src/evaluator/facts.ts";
import { containsAddress, parseAddress, parseNetwork } from "../src/kernel/network.ts";
import type { Address, Network } from "../src/kernel/network.ts";

interface ReadRequest {
  readonly address: Address | null;
  values(condition: Condition): readonly string[];
}

function readRequest({ url, method = "GET", ip = "", headers = {}, geo }: RequestFacts): ReadRequest {
  const { host, pathname, searchParams } = new URL(url);
  const header = (name: string) => [headers[name] ?? []].flat();
  const cookies = (name: string) =>
    header("cookie")
      .flatMap((text) => text.split("; "))
      .filter((cookie) => cookie.startsWith(`${name}=`))
      .map((cookie) => cookie.slice(name.length + 1));
  const readers: Readonly<Partial<Record<Condition["type"], (key: string) => readonly string[]>>> = {
    path: () => [pathname],
    host: () => [header("host")[0] ?? host],
    method: () => [method],
    user_agent: () => header("user-agent"),
    geo_country: () => (geo?.country === undefined ? [] : [geo.country]),
    header,
    cookie: cookies,
    query: (name) => searchParams.getAll(name),
  };
  return { address: parseAddress(ip), values: ({ type, key = "" }) => readers[type]?.(key) ?? [] };
}

type Test = (request: ReadRequest) => boolean;

function compileTest(condition: Condition): Test {
  const { type, op, value, neg } = condition;
  const expected = [value ?? []].flat().map((one) => String(one).toLowerCase());
  if (type === "ip_address") {
    const networks = expected.map((text) => parseNetwork(text) as Network);
    return ({ address }) => address !== null && networks.some((network) => containsAddress(network, address));
  }
  const expressions = op === "re" ? expected.map((text) => RE2JS.compile(text, RE2JS.CASE_INSENSITIVE)) : [];
  const isFit = (text: string): boolean => {
    const lower = text.toLowerCase();
    if (op === "ex") return true;
    if (op === "re") return expressions.some((expression) => expression.test(text));
    return expected.some((one) => {
      if (op === "pre") return lower.startsWith(one);
      if (op === "suf") return lower.endsWith(one);
      return op === "sub" ? lower.includes(one) : lower === one;
    });
  };
  return (request) => request.values(condition).some(isFit) !== (neg === true);
}

/** Answers the id of what denies a request; null when nothing does. */
export function naiveFirewall({ ips, rules }: Configuration): (facts: RequestFacts) => string | null {
  const entries = ips.map(({ id, ip, hostname }) => ({ id, hostname, network: parseNetwork(ip) as Network }));
  const tests = rules.map(({ id, conditionGroup, action }) => ({
    id,
    isLog: action.mitigate?.action === "log",
    groups: conditionGroup.map(({ conditions }) => conditions.map(compileTest)),
  }));
  return (facts) => {
    const request = readRequest(facts);
    const { address } = request;
    let best: (typeof entries)[number] | undefined;
    for (const entry of address ? entries : []) {
      if (!containsAddress(entry.network, address as Address)) continue;
      if (entry.hostname !== "*" && entry.hostname !== request.values({ type: "host", op: "ex" })[0]) continue;
      if (!best || entry.network.bits > best.network.bits) best = entry;
    }
    if (best) return best.id;
    const logged: string[] = [];
    for (const { id, isLog, groups } of tests) {
      if (!groups.some((conditions) => conditions.every((test) => test(request)))) continue;
      if (!isLog) return id;
      logged.push(id);
    }
    return null;
  };
}
