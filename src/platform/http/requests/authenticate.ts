// Reads the credential of a request and checks its form. The store decides whether it is valid.
import type { IncomingHttpHeaders } from "node:http";
import { credentialKind, hashCredential } from "../../kernel/credential.ts";
import { ApiError } from "../../kernel/errors.ts";
import { unauthorized } from "../../operations/execute.ts";
import type { PresentedCredential } from "../../operations/operation-runner.ts";

const BEARER = /^Bearer +([A-Za-z0-9_]{16,256}) *$/i;
const KEY = /^[A-Za-z0-9_]{16,256}$/;

function missing(): ApiError {
  return new ApiError("not_authorized", "Not authorized: send Authorization: Bearer <credential>, or X-API-Key", {
    missingToken: true,
  });
}

function ambiguous(): ApiError {
  return new ApiError(
    "not_authorized",
    "Not authorized: send either the session cookie or another credential, not both",
    {
      invalidToken: true,
    },
  );
}

type Forms = readonly (readonly [RegExp, string])[];

/** The problem of a header in another form. Messages do not repeat the header, because any of it may be a secret. */
const MISTYPED: Forms = [
  [/[$%{}]/, "holds the name of a variable instead of its value; in a shell, use double quotes around the header"],
  [/^Bearer\s+Bearer(?:\s|$)/i, "has Bearer twice; write it once"],
  [/["'`<>]/, "holds quotes or brackets; write the credential without them"],
  [/\\[nrt]/, "holds a line break as text; cut it off the credential"],
];
const OF_AUTHORIZATION: Forms = [
  [/^(?:Bearer)?\s*$/i, "holds no credential; write it after Bearer and a space"],
  ...MISTYPED,
  [/^\S+$/, "holds the credential alone; write Bearer and a space before it"],
  [/^(?!Bearer\s)/i, "has another scheme; write Bearer, a space and the credential"],
];
const OF_KEY: Forms = [
  [/^\s*$/, "holds no credential; write the API key into it"],
  [/^Bearer\s/i, "holds Bearer; write the API key alone"],
  ...MISTYPED,
];

function unreadable(header: string, value: string, forms: Forms): ApiError {
  const problem = forms.find(([form]) => form.test(value))?.[1];
  return problem === undefined
    ? unauthorized()
    : new ApiError("not_authorized", `Not authorized: ${header} ${problem}`, { invalidToken: true });
}

/** Refuses another credential beside a session: it would be unclear who acts. */
export function requireSessionAlone({ authorization, "x-api-key": apiKey }: IncomingHttpHeaders): void {
  if (authorization !== undefined || apiKey !== undefined) throw ambiguous();
}

/**
 * The credential of `Authorization: Bearer`, of `X-API-Key`, or of the session cookie. Throws 401 when there is none, none in a valid
 * form, or a session beside another one: it would be unclear who acts.
 */
export function readCredential(headers: IncomingHttpHeaders, session: string | null): PresentedCredential {
  const { authorization, "x-api-key": apiKey } = headers;
  const isBearer = authorization !== undefined || apiKey !== undefined;
  if (session !== null) {
    requireSessionAlone(headers);
    return { value: session, kind: "session", hash: hashCredential(session) };
  }
  if (!isBearer) throw missing();
  const value = authorization === undefined ? KEY.exec(apiKey as string)?.[0] : BEARER.exec(authorization)?.[1];
  if (value === undefined) {
    if (authorization !== undefined) throw unreadable("Authorization", authorization, OF_AUTHORIZATION);
    throw unreadable("X-API-Key", String(apiKey), OF_KEY);
  }
  const kind = credentialKind(value);
  if (authorization === undefined && kind !== "key") {
    const problem = "X-API-Key takes an API key; send any other credential as Authorization: Bearer <credential>";
    throw new ApiError("not_authorized", `Not authorized: ${problem}`, { invalidToken: true });
  }
  return { value, kind, hash: hashCredential(value) };
}
