// The schemas of errors in openapi.json: in the API's own form, as problem details, and as OAuth has them.
import { ERROR_STATUS } from "../../platform/kernel/errors.ts";
import { reference } from "./openapi-components.ts";

const text = (description: string, format?: string) => ({ type: "string", ...(format && { format }), description });

const DOCS = text("Where the code is explained.", "uri-reference");

/** What an error can say beside its code and message, in both forms. */
const ERROR_MEMBERS = {
  field: text("The refused field, by its path in the request, such as `body.email`."),
  expected: text("What the field may be."),
  errors: {
    type: "array",
    description: "Each refused field, where several were.",
    items: {
      type: "object",
      required: ["message"],
      properties: {
        field: text("Its path in the request."),
        message: text("What is wrong with it."),
        expected: text("What it may be."),
      },
      additionalProperties: true,
    },
  },
  limit: { description: "The limit that was reached: its name, or how many it allows." },
  etag: text("The present `ETag` of an object that changed meanwhile."),
  requestId: text("The server's own id of the request, which its log has."),
};

export const ERROR_SCHEMAS = {
  ErrorCode: {
    type: "string",
    description: "Names what went wrong. Later versions may have further codes.",
    "x-extensible-enum": Object.keys(ERROR_STATUS),
  },
  Error: {
    type: "object",
    description: "A refused or failed call.",
    required: ["error"],
    properties: {
      error: {
        type: "object",
        description: "What went wrong.",
        required: ["code", "message"],
        properties: {
          code: reference("schemas", "ErrorCode"),
          message: text("For people: names the field as you sent it and what was expected."),
          ...ERROR_MEMBERS,
          docs: DOCS,
        },
        additionalProperties: { description: "Some codes have more." },
      },
    },
  },
  ExchangeError: {
    type: "object",
    description: "An error in the form of OAuth. RFC 6749, section 5.2",
    required: ["error", "error_description", "code"],
    properties: {
      error: text("The code of OAuth, such as `invalid_grant`."),
      error_description: text("For people: why no key is given."),
      code: reference("schemas", "ErrorCode"),
      requestId: ERROR_MEMBERS.requestId,
      error_uri: DOCS,
    },
  },
  Problem: {
    type: "object",
    description: "The same as problem details. RFC 9457",
    required: ["type", "title", "status", "detail", "instance", "code"],
    properties: {
      type: DOCS,
      title: text("The code in words."),
      status: { type: "integer", description: "The status of the response." },
      detail: text("For people: what was expected."),
      instance: text("The id of the request as a URN.", "uri"),
      code: reference("schemas", "ErrorCode"),
      ...ERROR_MEMBERS,
    },
    additionalProperties: true,
  },
};
