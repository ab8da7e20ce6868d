// Reads the body of a form. Its fields are text; which ones there may be, the page says.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError, fieldError } from "../../platform/kernel/errors.ts";
import { readForm } from "../../platform/http/requests/form-values.ts";
import type { CreateBodyParser } from "../../platform/http/requests/read-body.ts";

export const MAX_FORM_BYTES = 65_536;
const FORM_TYPE = /^application\/x-www-form-urlencoded(?:\s*;|$)/i;
const MAX_FIELD_LENGTH = 16_384;

/** Accepts bodies of forms, and nothing else, in a scope of routes, each of which has `MAX_FORM_BYTES` as its limit. */
export function acceptForms(scope: FastifyInstance, createParser: CreateBodyParser): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    "*",
    createParser((bytes, { headers }) => {
      if (!FORM_TYPE.test(headers["content-type"] ?? "")) {
        throw fieldError("unsupported_media_type", "Content-Type", "expected application/x-www-form-urlencoded");
      }
      return readForm(bytes);
    }),
  );
}

/** The text of a field, without spaces around it; empty where it is absent. */
export function fieldOf({ body }: FastifyRequest, name: string): string {
  const values = body instanceof Map ? (body as ReadonlyMap<string, readonly string[]>).get(name) : undefined;
  if (values === undefined) return "";
  if (values.length > 1) throw new ApiError("bad_request", `${name}: expected once`);
  const [value = ""] = values;
  if (value.length > MAX_FIELD_LENGTH) throw new ApiError("bad_request", `${name}: expected a shorter text`);
  return value;
}

/** The same of a name or an address, without spaces around it. */
export function textOf(request: FastifyRequest, name: string): string {
  return fieldOf(request, name).trim();
}
