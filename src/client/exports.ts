// What `@reeve-hq/reeve/client` is to programs: one module. Files here import what they need from where it is.
export { createClient, teamQuery } from "./client.ts";
export type { Answer, Client, ClientSettings, LineOptions, RawRequest } from "./client.ts";
export { ReeveError, errorOf } from "./error.ts";
export { OPERATIONS } from "./operations.ts";
export type { CallOptions } from "./transport.ts";
export type { Input, Item, ListId, OperationId, Output } from "./types.ts";
export { verifyWebhook } from "./webhook.ts";
export type { ReceivedWebhook } from "./webhook.ts";
