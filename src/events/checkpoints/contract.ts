// The endpoints of checkpoints. A checkpoint is a signed statement of the hash that an owner's chain had at a sequence. With a
// checkpoint kept outside the store, an auditor can prove later that no event up to it was rewritten.
import { defineContract } from "../../platform/kernel/contract.ts";
import { PAGE_QUERY, Pagination } from "../../platform/kernel/pagination.ts";
import { Type } from "typebox";
import { EventCheckpoint } from "../events/checkpoint-schema.ts";

export const checkpointsContract = defineContract({
  createCheckpoint: {
    method: "POST",
    path: "/v1/events/checkpoints",
    tag: "Events",
    gives: "nothing",
    summary: "Sign the newest event of the chain",
    description:
      "Returns the checkpoint of the newest event, the existing one if there is one. Keep it outside the store, with the " +
      "public key: `reeve events verify --checkpoints` compares it with the store or an export later.",
    access: { kind: "owner", permission: "event:write" },
    returns: "The signed checkpoint.",
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
      "Reeve makes one a day after the first event that no checkpoint covers, and one wherever it removes events because " +
      "of their age. With those events it removes their checkpoints.",
    access: { kind: "owner", permission: "event:read", afterDeletion: true },
    query: Type.Object(PAGE_QUERY),
    response: Type.Object({ checkpoints: Type.Array(EventCheckpoint), pagination: Pagination }),
    errors: ["invalid_cursor"],
    emits: [],
  },
});
