// The attributes of one request, as the caller of the evaluator gives them. An absent attribute is unknown.
import type { DecodedBody } from "../body/decode-body.ts";
import type { NamedValues } from "./values.ts";

export interface RequestAttributes {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** In place of `headers`, for a caller that can look them up by their names in lower case. */
  readonly headerValues?: NamedValues;
  readonly ip?: string;
  readonly protocol?: string;
  readonly geo?: {
    readonly continent?: string;
    readonly country?: string;
    readonly region?: string;
    readonly city?: string;
    readonly asNumber?: string | number;
  };
  readonly ja3?: string;
  readonly ja4?: string;
  readonly region?: string;
  readonly environment?: string;
  readonly domainEnvironment?: string;
  readonly route?: string;
  readonly targetPath?: string;
  readonly serverAction?: string;
  readonly rateLimitApiId?: string;
  readonly bot?: {
    readonly name?: string;
    readonly category?: string;
    readonly status?: string;
    readonly protection?: string;
  };
  readonly trafficSource?: string;
  readonly trustedSource?: string;
  readonly rulesets?: readonly string[];
  /** As text in UTF-8, which `headers` describe, or decoded. */
  readonly body?: string | DecodedBody;
  /** The client has passed a challenge, and is not challenged again. */
  readonly challengePassed?: boolean;
}
