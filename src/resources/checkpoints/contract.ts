// Checkpoints: signed statements of where an owner's chain of events stood. Who keeps one elsewhere can prove later that
// nothing before it was rewritten.
import { defineContract } from "../../kernel/contract.ts";
import { PAGE_QUERY, Pagination } from "../../kernel/pagination.ts";
import { Type } from "typebox";
import { EventCheckpoint } from "../events/checkpoint-schema.ts";

export const checkpointsContract = defineContract({
  createCheckpoint: {
    method: "POST",
    path: "/v1/events/checkpoints",
    tag: "Events",
    summary: "Sign where the chain of events stands now",
    description:
      "Answers the checkpoint of the newest event; the present one when there is one. Keep it outside, with the public " +
      "key: `reeve events verify --checkpoints` holds it against the store or an export later.",
    access: { kind: "owner", permission: "event:write" },
    response: Type.Object({ checkpoint: EventCheckpoint }),
    errors: ["master_key_missing"],
    emits: [],
  },
  listCheckpoints: {
    method: "GET",
    path: "/v1/events/checkpoints",
    tag: "Events",
    summary: "List the checkpoints of the chain of events, newest first",
    description:
      "One is made a day after the first event that none covers, and one wherever events were removed because of their " +
      "age. With those go the checkpoints before.",
    access: { kind: "owner", permission: "event:read", afterDeletion: true },
    query: Type.Object(PAGE_QUERY),
    response: Type.Object({ checkpoints: Type.Array(EventCheckpoint), pagination: Pagination }),
    errors: ["invalid_cursor"],
    emits: [],
  },
});
