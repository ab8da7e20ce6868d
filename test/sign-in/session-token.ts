// How tests send the session of a browser, also where they take the token of a user.

const SESSION_PREFIX = "session";

/** How a browser sends a session from a page of the server itself. */
export function sessionHeaders(session: string): Record<string, string> {
  return { cookie: `reeve=${session}`, "sec-fetch-site": "same-origin" };
}

/** What `sessionAsToken` made goes into the cookie, any other credential into the header. */
export function credentialHeaders(token: string | null | undefined): Record<string, string> {
  if (!token) return {};
  const [prefix, session] = token.split(":");
  return prefix === SESSION_PREFIX && session !== undefined
    ? sessionHeaders(session)
    : { authorization: `Bearer ${token}` };
}

/** A session where a test takes the token of a user. */
export function sessionAsToken(session: string): string {
  return `${SESSION_PREFIX}:${session}`;
}
