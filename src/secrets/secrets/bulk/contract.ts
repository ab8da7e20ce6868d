// Changes of several secrets at once: their tags and their end, and their deletion.
import { Type } from "typebox";
import { defineContract } from "../../../platform/kernel/contract.ts";
import { ExpiresAt, MAX_TAGS, NAMED_WRITE, Secret, TAG, Tag } from "../secret-schema.ts";

const MAX_SECRETS = 100;

const Secrets = Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
  minItems: 1,
  maxItems: MAX_SECRETS,
  description: `Present names or ids, each secret once; ${MAX_SECRETS} at most.`,
});

const SomeTags = Type.Array(Tag, { minItems: 1, maxItems: MAX_TAGS });

export const secretBulkContract = defineContract({
  changeSecrets: {
    method: "PATCH",
    path: "/v1/secrets",
    tag: TAG,
    summary: "Change the tags or the end of several secrets at once, all or none",
    description:
      "Each secret that differs afterwards has an event of its own; `secrets` has all, in the order of the request.",
    ...NAMED_WRITE,
    changesOwnerOnly: true,
    // Values that have expired can be read again when their end is moved.
    gives: { what: "value", when: "handler" },
    body: Type.Object(
      {
        secrets: Secrets,
        addTags: Type.Optional(SomeTags),
        removeTags: Type.Optional(SomeTags),
        expiresAt: Type.Optional(ExpiresAt),
      },
      { additionalProperties: false },
    ),
    example: { body: { secrets: ["DATABASE_URL", "QUEUE_URL"], addTags: ["production"], removeTags: ["staging"] } },
    returns: "The secrets after the change.",
    response: Type.Object({ secrets: Type.Array(Secret) }),
    errors: ["invalid_expiry", "secret_is_alias"],
    emits: ["secret-update"],
  },
  deleteSecrets: {
    method: "POST",
    path: "/v1/secrets/delete",
    tag: TAG,
    summary: "Delete several secrets at once, all or none",
    description:
      "As each deletion by itself: the names are free at once, and for seven days each secret can be restored with " +
      "everything it had. Each has an event of its own.",
    ...NAMED_WRITE,
    changesOwnerOnly: true,
    body: Type.Object({ secrets: Secrets }, { additionalProperties: false }),
    example: { body: { secrets: ["OLD_TOKEN", "OLD_URL"] } },
    returns: "The deleted secrets, and when their values are erased.",
    response: Type.Object({
      deleted: Type.Array(
        Type.Object({
          uid: Type.String(),
          name: Type.String(),
          purgeAt: Type.Integer({ description: "Until when it can be restored, ms since the epoch." }),
        }),
        { description: "In the order of the request." },
      ),
    }),
    errors: ["secret_is_alias"],
    emits: ["secret-delete"],
  },
});
