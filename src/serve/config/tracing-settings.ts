// The standard variables of OpenTelemetry that Reeve reads itself; the exporter reads others
// (`OTEL_EXPORTER_OTLP_HEADERS`, `_TIMEOUT`, `_COMPRESSION`, `_CERTIFICATE`, `_CLIENT_KEY`, `_CLIENT_CERTIFICATE`).
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
import { ConfigError } from "../../platform/kernel/settings/setting-source.ts";

export const SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

export interface TracingSettings {
  /** The complete URL that spans are sent to. */
  readonly url: string;
  /** The resource attributes of this process. */
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: (typeof SAMPLERS)[number];
  /** The share of traces that a ratio sampler keeps. */
  readonly ratio: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

function refuse(name: string, expected: string): never {
  throw new ConfigError(`${name}: expected ${expected}`);
}

function readUrl(environment: Environment): string | null {
  const own = environment["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
  const name = own ? "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" : "OTEL_EXPORTER_OTLP_ENDPOINT";
  const text = environment[name];
  if (!text) return null;
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) refuse(name, "a URL that starts with http:// or https://");
  return own ? text : `${text.replace(/\/+$/, "")}/v1/traces`;
}

/** `name=value,name=value`, percent-encoded. */
function readResource(text: string): Record<string, string> {
  const name = "OTEL_RESOURCE_ATTRIBUTES";
  return Object.fromEntries(
    text.split(",").map((pair) => {
      const [, key = "", value = ""] =
        /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? refuse(name, "pairs such as a=b,c=d");
      try {
        return [decodeURIComponent(key), decodeURIComponent(value)];
      } catch {
        return refuse(name, "percent-encoded UTF-8");
      }
    }),
  );
}

function readSampler(environment: Environment): Pick<TracingSettings, "sampler" | "ratio"> {
  const wanted = environment["OTEL_TRACES_SAMPLER"] || "parentbased_always_on";
  const sampler = SAMPLERS.find((one) => one === wanted);
  if (!sampler) refuse("OTEL_TRACES_SAMPLER", `one of ${SAMPLERS.join(", ")}`);
  const ratio = Number(environment["OTEL_TRACES_SAMPLER_ARG"] || "1");
  if (!(ratio >= 0 && ratio <= 1)) refuse("OTEL_TRACES_SAMPLER_ARG", "a number from 0 to 1");
  return { sampler, ratio };
}

/** Null when tracing is off; throws a ConfigError that names an unusable variable. */
export function readTracingSettings(environment: Environment): TracingSettings | null {
  const isOff =
    environment["OTEL_SDK_DISABLED"]?.toLowerCase() === "true" || environment["OTEL_TRACES_EXPORTER"] === "none";
  const url = isOff ? null : readUrl(environment);
  if (url === null) return null;
  for (const name of ["OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"]) {
    if (environment[name]?.startsWith("grpc")) refuse(name, "http/json or http/protobuf; spans are sent as JSON");
  }
  const attributes = environment["OTEL_RESOURCE_ATTRIBUTES"];
  const serviceName = environment["OTEL_SERVICE_NAME"];
  return {
    url,
    resource: {
      "service.name": "reeve",
      ...(attributes ? readResource(attributes) : {}),
      ...(serviceName ? { "service.name": serviceName } : {}),
    },
    ...readSampler(environment),
  };
}
