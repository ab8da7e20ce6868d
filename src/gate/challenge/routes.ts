// The URLs of the challenge, all on the host that the gate protects.

export const BASE_PATH = "/.well-known/reeve/challenge";

/** `id`: of the decision, for people to tell. */
export function challengeUrl(path: string, { id }: { readonly id?: string } = {}): string {
  const reference = id === undefined ? "" : `id=${encodeURIComponent(id)}&`;
  return `${BASE_PATH}?${reference}return=${encodeURIComponent(path)}`;
}

/** Issues the pass to a browser without script, once it has waited. */
export function waitUrl(token: string, path: string): string {
  return `${BASE_PATH}/wait?token=${token}&return=${encodeURIComponent(path)}`;
}

/** Finds out whether the browser has kept the pass. */
export function continueUrl(path: string): string {
  return `${BASE_PATH}/continue?return=${encodeURIComponent(path)}`;
}
