// Names for what programs pass around most.
import type { Item, Output } from "./types.ts";

export type User = Output<"getCurrentUser">["user"];
export type Team = Output<"getTeam">;
export type Member = Item<"listTeamMembers">;
export type Secret = Item<"listSecrets">;
export type Event = Item<"listEvents">;
export type Webhook = Output<"getWebhook">;

/** The body of a request to a webhook, as JSON. */
export interface WebhookMessage {
  /** Of the delivery: the same for all attempts. */
  readonly id: string;
  readonly type: string;
  /** ms since the epoch. */
  readonly createdAt: number;
  readonly region: null;
  readonly payload: { readonly [name: string]: unknown };
  /** Number of the event in its owner's chain. */
  readonly sequence: number;
}
