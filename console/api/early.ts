// What a page reads first is asked for before the app's own code is there, which then takes the responses over.

/** The API is beside the console, also where a proxy serves both below a path. */
export const API = new URL("../", document.baseURI);

const early = new Map<string, Promise<Response>>();

/** Reads a response to its end, also when no page takes it: until then it keeps a connection. */
async function keep(response: Promise<Response>): Promise<void> {
  try {
    await (await response).clone().arrayBuffer();
  } catch {
    // It is asked for again where it is needed.
  }
}

export function readEarly(path: string): void {
  const url = new URL(path, API);
  const response = fetch(url, { headers: { accept: "application/json" }, redirect: "manual" });
  void keep(response);
  early.set(url.href, response);
}

/** What was read before a change, or long ago, is not what there is now. */
export const dropEarlyReads = (): void => early.clear();

/** `fetch` for the API: each early response is taken once. */
export function fetchOrTake(url: URL, init: RequestInit): Promise<Response> {
  if (init.method !== "GET") dropEarlyReads();
  const response = early.get(url.href);
  early.delete(url.href);
  return response ? response.catch(() => fetch(url, init)) : fetch(url, init);
}
