// What the gate's server and its parts work with.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { GateCore } from "../core.ts";
import type { Progress } from "./guard.ts";

export interface GateContext extends Pick<
  GateCore,
  "decider" | "challenges" | "rateLimitApi" | "responses" | "trust" | "activity" | "metrics" | "bodyLimit" | "log"
> {
  /** What is served to trusted addresses alone: health and metrics. */
  readonly operator: OperatorPages;
  /** Whether each response has to end its connection, because the gate stops. */
  isClosing(): boolean;
  /** Null: the gate only answers checks. */
  readonly proxy: UpstreamProxy | null;
}

export interface OperatorPages {
  health(): { readonly status: number; readonly body: object };
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
}

export interface UpstreamProxy {
  handle(message: IncomingMessage, res: ServerResponse): Progress;
  attach(server: Server): void;
  /** Ends the WebSockets, which have no end of their own. */
  endUpgraded(): void;
  /** Closes the connections to the application. */
  close(): void;
}
