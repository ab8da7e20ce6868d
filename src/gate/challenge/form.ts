// The fields of a form that was sent when the challenge came. The page carries them, and sends them again after the challenge.
import type { GateRequest } from "../message.ts";
import { headerOf } from "../message.ts";
import { isSameOrigin } from "./client-request.ts";

export type FormFields = readonly (readonly [name: string, value: string])[];

export const MAX_FORM_BYTES = 16_384;
/** Each field grows into an element. */
const MAX_FIELDS = 200;
const FORM_TYPE = /^application\/x-www-form-urlencoded(?:\s*;|$)/i;

/**
 * The fields, if a page can send exactly them again: undefined for large and for other bodies, for bytes that are not UTF-8, and for
 * forms of other origins. The page would send those in the name of this origin, past every check against cross-site requests.
 */
export function readForm(request: GateRequest, body: string | undefined): FormFields | undefined {
  if (body === undefined || request.method !== "POST" || !isSameOrigin(request)) return undefined;
  if (!FORM_TYPE.test(headerOf(request, "content-type") ?? "")) return undefined;
  if (headerOf(request, "content-encoding") !== undefined || Buffer.byteLength(body) > MAX_FORM_BYTES) return undefined;
  const fields = [...new URLSearchParams(body)];
  const canCarry = fields.every(([name, value]) => name !== "" && !/[\0\uFFFD]/.test(name + value));
  return canCarry && fields.length <= MAX_FIELDS ? fields : undefined;
}
