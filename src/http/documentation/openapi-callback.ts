// A callback of an endpoint in the OpenAPI document. https://spec.openapis.org/oas/v3.1.1#callback-object
import type { Callback } from "../../kernel/contract.ts";
import type { Json } from "./openapi-components.ts";

/** `schema` is the published form of the callback's body. */
export function describeCallback({ name, to, summary, description, headers }: Callback, schema: unknown): Json {
  const parameters = Object.entries(headers).map(([header, says]) => ({
    name: header,
    in: "header",
    description: says,
    schema: { type: "string" },
  }));
  const post = {
    operationId: `on${name[0]?.toUpperCase()}${name.slice(1)}`,
    summary,
    description,
    security: [],
    parameters,
    requestBody: { required: true, content: { "application/json": { schema } } },
    responses: {
      "2XX": { description: "Taken." },
      410: { description: "There is nobody any more." },
      default: { description: "Failed: it is sent again." },
    },
  };
  return { [name]: { [`{$request.body#/${to}}`]: { post } } };
}
