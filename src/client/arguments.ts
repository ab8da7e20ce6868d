// What a program gives the client wrongly: a TypeError that names the argument and what is expected. A value that may be a credential is
// not in it.

/** Refuses an argument. */
export function refuse(argument: string, expectation: string): never {
  throw new TypeError(`${argument}: expected ${expectation}`);
}

/** The header of a token. That `fetch` refuses one would show it. */
export function authorizationOf(token: unknown): string {
  if (typeof token === "string" && /^[!-~]+$/.test(token)) return `Bearer ${token}`;
  return refuse("token", "an access token or an API key: visible ASCII characters without spaces or line ends");
}
