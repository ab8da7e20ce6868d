// Failures as plain data, which a thread can post to another one.
import { ApiError } from "../kernel/errors.ts";
import { StoreError } from "./database.ts";
import type { StoreFailureReason } from "./database.ts";
import { storeFailureReason } from "./failure.ts";

/** A failure as plain data. */
type EncodedFailure =
  | {
      readonly kind: "api";
      readonly code: ApiError["code"];
      readonly message: string;
      readonly details: ApiError["details"];
      readonly hint: ApiError["hint"];
    }
  | { readonly kind: "store"; readonly message: string; readonly reason: StoreFailureReason }
  | {
      readonly kind: "unknown";
      readonly name: string;
      readonly message: string;
      readonly stack: string | undefined;
      /** SQLite's error code. */
      readonly errcode: number | undefined;
    };

export function encodeFailure(error: unknown): EncodedFailure {
  if (error instanceof ApiError) {
    return { kind: "api", code: error.code, message: error.message, details: error.details, hint: error.hint };
  }
  const { name, message, stack, errcode } = error as Error & { readonly errcode?: number };
  const reason = storeFailureReason(error);
  return reason ? { kind: "store", message, reason } : { kind: "unknown", name, message, stack, errcode };
}

/** Restores an encoded failure. */
export function decodeFailure(failure: unknown): Error {
  const encoded = failure as EncodedFailure;
  if (encoded.kind === "api") return new ApiError(encoded.code, encoded.message, encoded.details, encoded.hint);
  if (encoded.kind === "store") return new StoreError(encoded.message, { reason: encoded.reason });
  const error: Error & { errcode?: number } = new Error(encoded.message);
  if (encoded.errcode !== undefined) error.errcode = encoded.errcode;
  error.name = encoded.name;
  if (encoded.stack !== undefined) error.stack = encoded.stack;
  return error;
}
