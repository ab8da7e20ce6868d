// Teams.
import Type from "typebox";
import { defineContract } from "../../kernel/contract.ts";

const Slug = Type.String({ pattern: "^[a-z][a-z0-9_-]{0,47}$" });

export const teamsContract = defineContract({
  createTeam: {
    method: "POST",
    path: "/v1/teams",
    aliases: ["/teams"],
    tag: "Teams",
    summary: "Create a team",
    access: { kind: "user" },
    body: Type.Object(
      { slug: Slug, name: Type.Optional(Type.String({ maxLength: 256 })) },
      { additionalProperties: false },
    ),
    response: Type.Object({ id: Type.String(), slug: Type.String() }),
    errors: ["slug_taken"],
    emits: ["team"],
  },
});
