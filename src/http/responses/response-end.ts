// The end of an answer, as whoever holds something for it hears of it.
import type { ServerResponse } from "node:http";

/** Calls `hear` once when an answer is over: sent as a whole, or its client gone, which may have been before anybody asked. */
export function onceClosed(answer: ServerResponse, hear: () => void): void {
  if (answer.destroyed) hear();
  else answer.once("close", hear);
}
