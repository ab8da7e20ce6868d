// Objects of the API that several files of a page show.
import type { Output } from "./endpoints.ts";

export type Member = Output<"GET /v2/teams/:teamId/members">["members"][number];
export type Secret = Output<"GET /v3/secrets/:name">;
export type Team = Output<"GET /v2/teams/:teamId">;
export type Event = Output<"GET /v3/events">["events"][number];
