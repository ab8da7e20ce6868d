// What `@reeve-hq/reeve/client` is to programs: one module. Files here import what they need from where it is.
export { createClient, teamQuery } from "./client.ts";
export type { Answer, Client } from "./client.ts";
export type { ClientSettings, LineOptions, RawRequest, TailOptions } from "./settings.ts";
export { ReeveError, errorOf } from "./error.ts";
export { OPERATIONS } from "./operations.ts";
export type { Attempt, CallOptions } from "./transport.ts";
export type { Event, Member, Secret, Team, User, Webhook, WebhookMessage } from "./named-types.ts";
export type { Input, Item, ListId, OperationId, Output } from "./types.ts";
export { verifyWebhook } from "./webhook.ts";
export type { ReceivedWebhook } from "./webhook.ts";
