// The end of a response, for code that holds resources for it.
import type { ServerResponse } from "node:http";

/** Calls `listener` once when a response is closed: it was sent completely, or its client has gone. Either may have happened before. */
export function onceClosed(response: ServerResponse, listener: () => void): void {
  if (response.destroyed) listener();
  else response.once("close", listener);
}
