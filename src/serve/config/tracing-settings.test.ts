import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "./config.ts";

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };

function read(environment: Readonly<Record<string, string>>) {
  return readSettings({}, environment).tracing;
}

test("tracing is off without an endpoint, and where the standard variables disable it", () => {
  assert.equal(read({}), null);
  assert.equal(read({ OTEL_EXPORTER_OTLP_ENDPOINT: "" }), null);
  assert.equal(read({ OTEL_SERVICE_NAME: "other" }), null);
  assert.equal(read({ ...ENDPOINT, OTEL_SDK_DISABLED: "true" }), null);
  assert.equal(read({ ...ENDPOINT, OTEL_TRACES_EXPORTER: "none" }), null);
});

test("an endpoint for all signals is completed, one for traces is taken as it is", () => {
  assert.equal(read(ENDPOINT)?.url, "http://collector:4318/v1/traces");
  const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/ingest" };
  assert.equal(read({ ...ENDPOINT, ...own })?.url, "https://traces.example/ingest");
});

test("the attributes of the process and the sampler are read", () => {
  assert.deepEqual(read(ENDPOINT)?.resource, { "service.name": "reeve" });
  const named = { OTEL_SERVICE_NAME: "control", OTEL_RESOURCE_ATTRIBUTES: "service.name=no, host.name=a%2Cb" };
  assert.deepEqual(read({ ...ENDPOINT, ...named })?.resource, { "service.name": "control", "host.name": "a,b" });
  assert.equal(read(ENDPOINT)?.sampler, "parentbased_always_on");
  const sampled = read({ ...ENDPOINT, OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" });
  assert.deepEqual([sampled?.sampler, sampled?.ratio], ["traceidratio", 0.25]);
});

test("an unusable variable stops the start with an error that names it", () => {
  const bad: readonly (readonly [string, string])[] = [
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "ftp://collector"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
    ["OTEL_TRACES_SAMPLER", "sometimes"],
    ["OTEL_TRACES_SAMPLER_ARG", "2"],
    ["OTEL_RESOURCE_ATTRIBUTES", "no pair"],
    ["OTEL_RESOURCE_ATTRIBUTES", "a=%E0%A4%A"],
  ];
  for (const [name, value] of bad) {
    assert.throws(() => read({ ...ENDPOINT, [name]: value }), {
      name: "ConfigError",
      message: new RegExp(`^${name}: `),
    });
  }
});
