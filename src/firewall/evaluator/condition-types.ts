// What a condition of each type takes, as data: its operators, whether it has a key, and the values to choose from. The console builds
// its forms from it.
import type { ConditionType, Operator } from "./config.ts";

const SAME = ["eq", "neq", "inc", "ninc", "list", "ex", "nex"] as const;
const TEXT = [...SAME, "sub", "pre", "suf", "re"] as const;
const ORDER = ["gt", "gte", "lt", "lte"] as const;

/** The operators whose value is a list. */
export const LISTS: ReadonlySet<Operator> = new Set(["inc", "ninc", "list"]);
/** The operators without a value. */
export const EXISTENCE: ReadonlySet<Operator> = new Set(["ex", "nex"]);
/** The operators that compare numbers. */
export const NUMERIC: ReadonlySet<Operator> = new Set(ORDER);

export interface TypeOfCondition {
  readonly operators: readonly Operator[];
  /** `key` is required: the name of a header, query parameter, cookie or value of the body. */
  readonly hasKey?: true;
  /** The only values that operators which compare whole values take, in any case of letters. */
  readonly choices?: readonly string[];
}

const TEXT_TYPE: TypeOfCondition = { operators: TEXT };
const OPAQUE: TypeOfCondition = { operators: SAME };
const KEYED: TypeOfCondition = { operators: [...TEXT, ...ORDER], hasKey: true };
const oneOf = (values: string): TypeOfCondition => ({ operators: SAME, choices: values.split(" ") });

export const TYPES: Readonly<Record<ConditionType, TypeOfCondition>> = {
  host: TEXT_TYPE,
  path: TEXT_TYPE,
  raw_path: TEXT_TYPE,
  target_path: TEXT_TYPE,
  route: TEXT_TYPE,
  server_action: TEXT_TYPE,
  user_agent: TEXT_TYPE,
  header: KEYED,
  query: KEYED,
  cookie: KEYED,
  body: KEYED,
  method: oneOf("GET HEAD POST DELETE PATCH PUT CONNECT OPTIONS TRACE DEBUG QUERY"),
  ip_address: OPAQUE,
  protocol: oneOf("HTTP/1.1 HTTP/2.0"),
  scheme: oneOf("http https"),
  environment: oneOf("preview production"),
  domain_environment: OPAQUE,
  region: OPAQUE,
  geo_continent: oneOf("AF AN AS EU NA OC SA"),
  geo_country: OPAQUE,
  geo_country_region: TEXT_TYPE,
  geo_city: TEXT_TYPE,
  geo_as_number: { operators: [...TEXT, ...ORDER] },
  ja3_digest: TEXT_TYPE,
  ja4_digest: TEXT_TYPE,
  bot_name: TEXT_TYPE,
  bot_category: TEXT_TYPE,
  bot_status: OPAQUE,
  bot_protection: OPAQUE,
  rate_limit_api_id: OPAQUE,
  shared_condition: OPAQUE,
  traffic_source: OPAQUE,
  ruleset: OPAQUE,
  trusted_source: OPAQUE,
};
