// A request as conditions read it. Each value is derived on first use and at most once.
import { NO_BODY, decodeBody } from "../body/decode-body.ts";
import type { DecodedBody } from "../body/decode-body.ts";
import { readQuery } from "../body/form-values.ts";
import type { Named, NamedValue } from "../body/named-values.ts";
import type { AddressWords } from "./address.ts";
import { readAddress } from "./address.ts";
import type { ConditionType } from "../config.ts";
import type { RequestAttributes } from "./attributes.ts";
import { readCookies } from "./cookie-values.ts";
import { textReadings } from "./text-readings.ts";
import { hostOf, normalisePath, splitUrl } from "./url.ts";
import type { UrlParts } from "./url.ts";
import { NO_VALUES, Values } from "./values.ts";
import type { NamedValues } from "./values.ts";
import { countStep } from "../time-limit.ts";

/** Condition types that read texts without a name: at most one, but for a header that was sent several times. */
export type TextType = Exclude<
  ConditionType,
  "header" | "query" | "cookie" | "body" | "ip_address" | "shared_condition" | "ruleset"
>;

/** Condition types that read any number of texts by name. */
export type NamedType = "header" | "query" | "cookie" | "body";

/** As the name of a value of the body: any of them. */
export const ANY_NAME = "*";

type ReadText = (request: RequestView) => string | number | readonly string[] | undefined;

const TEXTS: Readonly<Record<TextType, ReadText>> = {
  host: (request) => hostOf(request.named("header", "host").texts[0] ?? request.url.authority ?? ""),
  path: (request) => request.paths,
  method: ({ attributes }) => (attributes.method ?? "GET").toUpperCase(),
  target_path: (request) => request.attributes.targetPath ?? request.paths,
  route: ({ attributes }) => attributes.route,
  raw_path: (request) => textReadings(request.url.rawPath),
  region: ({ attributes }) => attributes.region,
  protocol: ({ attributes }) => attributes.protocol,
  scheme: (request) => request.url.scheme,
  environment: ({ attributes }) => attributes.environment,
  domain_environment: ({ attributes }) => attributes.domainEnvironment,
  user_agent: (request) => request.named("header", "user-agent").texts,
  geo_continent: ({ attributes }) => attributes.geo?.continent,
  geo_country: ({ attributes }) => attributes.geo?.country,
  geo_country_region: ({ attributes }) => attributes.geo?.region,
  geo_city: ({ attributes }) => attributes.geo?.city,
  geo_as_number: ({ attributes }) => attributes.geo?.asNumber,
  ja4_digest: ({ attributes }) => attributes.ja4,
  ja3_digest: ({ attributes }) => attributes.ja3,
  rate_limit_api_id: ({ attributes }) => attributes.rateLimitApiId,
  server_action: ({ attributes }) => attributes.serverAction,
  bot_name: ({ attributes }) => attributes.bot?.name,
  bot_category: ({ attributes }) => attributes.bot?.category,
  bot_status: ({ attributes }) => attributes.bot?.status,
  bot_protection: ({ attributes }) => attributes.bot?.protection,
  traffic_source: ({ attributes }) => attributes.trafficSource,
  trusted_source: ({ attributes }) => attributes.trustedSource,
};

const TEXT_TYPES = Object.keys(TEXTS) as TextType[];
const READERS = TEXT_TYPES.map((type) => TEXTS[type]);

/** The index of a type's value in a `RequestView`. */
export function slotOf(type: TextType): number {
  return TEXT_TYPES.indexOf(type);
}

/** Texts by name. Most names have one text, which is stored without an array. */
class NamedTexts implements Named, NamedValues {
  readonly #texts = new Map<string, string | string[]>();
  readonly #values = new Map<string, Values>();

  add(name: string, text: string): void {
    countStep();
    const known = this.#texts.get(name);
    if (known === undefined) this.#texts.set(name, text);
    else if (typeof known === "string") this.#texts.set(name, [known, text]);
    else known.push(text);
  }

  of(name: string): Values {
    const texts = this.#texts.get(name);
    if (texts === undefined) return NO_VALUES;
    let values = this.#values.get(name);
    if (!values) {
      values = new Values(typeof texts === "string" ? [texts] : texts);
      this.#values.set(name, values);
    }
    return values;
  }

  eachName(): Iterable<string> {
    return this.#texts.keys();
  }
}

function readHeaders({ headers, headerValues }: RequestAttributes): NamedValues {
  if (headerValues) return headerValues;
  const found = new NamedTexts();
  if (!headers) return found;
  for (const name of Object.keys(headers)) {
    const value = headers[name] as string | readonly string[];
    const key = name.toLowerCase();
    for (const text of typeof value === "string" ? [value] : value)
      for (const reading of textReadings(text)) found.add(key, reading);
  }
  return found;
}

function readParameters(query: string | undefined): NamedTexts {
  const found = new NamedTexts();
  if (query === undefined) return found;
  for (const text of textReadings(query)) readQuery(text, found);
  // Servers with an older parser of URLs, PHP's own among them, drop these.
  if (query.startsWith("?")) for (const text of textReadings(query.replace(/^\?+/, ""))) readQuery(text, found);
  return found;
}

/** `headers` are all readings of each header. */
function cookiesOf(headers: readonly string[]): NamedTexts {
  const found = new NamedTexts();
  for (const header of headers) readCookies(header, (name, value) => found.add(name, value));
  return found;
}

/** A field has its value at all of its names, one after the other. */
function distinctValues(values: readonly NamedValue[]): readonly string[] {
  return values.map(([, value]) => value).filter((value, at) => value !== values[at - 1]?.[1]);
}

/** The values of the body, and all of them under `ANY_NAME`. There may be thousands, and few rules ask for a name. */
class BodyTexts implements NamedValues {
  readonly #values: readonly NamedValue[];
  #all: Values | undefined;
  #named: NamedTexts | undefined;

  constructor(values: readonly NamedValue[]) {
    this.#values = values;
  }

  of(name: string): Values {
    if (name === ANY_NAME) return (this.#all ??= new Values(distinctValues(this.#values)));
    if (!this.#named) {
      this.#named = new NamedTexts();
      for (const [key, value] of this.#values) this.#named.add(key, value);
    }
    return this.#named.of(name);
  }

  eachName(): Iterable<string> {
    return new Set([ANY_NAME, ...this.#values.map(([name]) => name)]);
  }
}

function readBody(request: RequestView): DecodedBody {
  const { body = NO_BODY } = request.attributes;
  if (typeof body !== "string") return body;
  const header = (name: string) => request.named("header", name).texts;
  return decodeBody({ contentType: header("content-type"), contentEncoding: header("content-encoding") }, body);
}

export class RequestView {
  readonly attributes: RequestAttributes;
  /** Results of the configuration's shared conditions by index, cached by the conditions that refer to them. */
  readonly shared: (boolean | undefined)[] = [];
  readonly #slots: (Values | undefined)[] = [];
  #url: UrlParts | undefined;
  #paths: readonly string[] | undefined;
  #headers: NamedValues | undefined;
  #query: NamedTexts | undefined;
  #cookies: NamedTexts | undefined;
  #body: DecodedBody | undefined;
  #bodyTexts: BodyTexts | undefined;
  #rulesets: Values | undefined;
  #address: AddressWords | null | undefined;

  constructor(attributes: RequestAttributes) {
    this.attributes = attributes;
  }

  get url(): UrlParts {
    return (this.#url ??= splitUrl(this.attributes.url));
  }

  /** One, but for bytes beyond ASCII. */
  get paths(): readonly string[] {
    return (this.#paths ??= textReadings(this.url.rawPath).map(normalisePath));
  }

  /** The one that counts. */
  get path(): string {
    return this.paths[0] as string;
  }

  /** Undefined when the address is unknown. */
  get address(): AddressWords | undefined {
    if (this.#address === undefined) this.#address = readAddress(this.attributes.ip ?? "") ?? null;
    return this.#address ?? undefined;
  }

  get body(): DecodedBody {
    return (this.#body ??= readBody(this));
  }

  get rulesets(): Values {
    return (this.#rulesets ??= new Values(this.attributes.rulesets ?? []));
  }

  /** The values of a condition type that reads texts without a name. */
  text(slot: number): Values {
    const known = this.#slots[slot];
    if (known) return known;
    const value = (READERS[slot] as ReadText)(this);
    const values = value === undefined ? NO_VALUES : new Values(typeof value === "object" ? value : [String(value)]);
    this.#slots[slot] = values;
    return values;
  }

  /** The first of them. */
  textOf(type: TextType): string | undefined {
    return this.text(slotOf(type)).texts[0];
  }

  /** All headers, query parameters or cookies. The names of headers are in lower case. */
  allNamed(type: NamedType): NamedValues {
    switch (type) {
      case "header":
        return (this.#headers ??= readHeaders(this.attributes));
      case "query":
        return (this.#query ??= readParameters(this.url.query));
      case "cookie":
        return (this.#cookies ??= cookiesOf(this.named("header", "cookie").texts));
      case "body":
        return (this.#bodyTexts ??= new BodyTexts(this.body.values));
    }
  }

  /** `name` is in lower case when it names a header. */
  named(type: NamedType, name: string): Values {
    return this.allNamed(type).of(name);
  }
}
