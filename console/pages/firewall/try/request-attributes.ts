// Reads a request as the form describes it.
import type { Input } from "../../../api/endpoints.ts";
import type { Fields } from "../../../parts/form.tsx";

type Evaluation = NonNullable<Input<"POST /v1/firewalls/:configVersion/evaluate">["body"]>;
export type Attributes = Evaluation["requests"][number];

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
export const GEO_FIELDS = ["continent", "subdivision", "city", "asNumber"] as const;
export const BOT_FIELDS = ["botName", "botCategory", "botStatus", "botProtection"] as const;
export const TEXT_FIELDS = [
  "protocol",
  "ja3",
  "ja4",
  "region",
  "environment",
  "domainEnvironment",
  "route",
  "targetPath",
  "serverAction",
  "rateLimitApiId",
  "trafficSource",
  "trustedSource",
] as const;

/** The form has something in a line of the headers that is none. */
export class HeaderProblem extends Error {
  override readonly name = "HeaderProblem";
}

/** Headers by name, one on each line; a header that occurs several times has a list. */
export function parseHeaders(text: string): Record<string, string | string[]> {
  const headers = new Map<string, string[]>();
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const colon = line.indexOf(":", 1);
    if (colon === -1) throw new HeaderProblem(`Line ${at + 1} has no name and colon: expected Name: value`);
    const name = line.slice(0, colon).trim();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  return Object.fromEntries([...headers].map(([name, values]) => [name, values.length === 1 ? values.join() : values]));
}

/** What is empty is unknown. */
function known(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}

/** Throws `HeaderProblem`. */
export function readAttributes(field: Fields): Attributes {
  const headers = parseHeaders(field("headers", "exact"));
  const geo = known({
    country: field("country"),
    continent: field("continent"),
    region: field("subdivision"),
    city: field("city"),
    asNumber: field("asNumber"),
  });
  const bot = known({
    name: field("botName"),
    category: field("botCategory"),
    status: field("botStatus"),
    protection: field("botProtection"),
  });
  const rulesets = field("rulesets")
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
  const texts = known({
    method: field("method"),
    ip: field("ip"),
    body: field("body", "exact"),
    ...Object.fromEntries(TEXT_FIELDS.map((name) => [name, field(name)])),
  });
  return {
    url: field("url"),
    ...texts,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(geo).length > 0 && { geo }),
    ...(Object.keys(bot).length > 0 && { bot }),
    ...(rulesets.length > 0 && { rulesets }),
  };
}
