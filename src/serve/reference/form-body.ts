// The body of an endpoint that takes a form, or the same fields as JSON, in the API document.
import type { PublicEndpoint } from "../../platform/http/public-endpoints.ts";

export function describeForm({ required, optional }: NonNullable<PublicEndpoint["form"]>): unknown {
  const fields = Object.entries({ ...required, ...optional });
  const properties = Object.fromEntries(fields.map(([name, description]) => [name, { type: "string", description }]));
  const content = { schema: { type: "object", required: Object.keys(required), properties } };
  return { required: true, content: { "application/x-www-form-urlencoded": content, "application/json": content } };
}
