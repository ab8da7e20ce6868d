// Teams: what each call does, and what refuses it.
import type { Implements } from "../../kernel/contract.ts";
import { ApiError } from "../../kernel/errors.ts";
import { newId, randomHex } from "../../kernel/ids.ts";
import { emit, startChain } from "../events/emit.ts";
import { addCreator } from "../members/creator.ts";
import { requireAccount } from "../users/service.ts";
import type { teamsContract } from "./contract.ts";
import { findTeamBySlug, insertTeam } from "./store.ts";

const INVITE_CODE_LENGTH = 40;

export const teamsService: Implements<typeof teamsContract> = {
  async createTeam(tx, call) {
    const account = requireAccount(call);
    const { slug, name = null } = call.body;
    if (await findTeamBySlug(tx, { slug })) {
      throw new ApiError("slug_taken", "body.slug: another team has it", { field: "body.slug" });
    }
    const id = newId("team");
    await startChain(tx, id, "team");
    await insertTeam(tx, {
      id,
      slug,
      name: name ?? slug,
      creatorId: account.id,
      inviteCode: randomHex(INVITE_CODE_LENGTH),
      settings: "{}",
      now: call.now,
    });
    await addCreator(tx, { teamId: id, userId: account.id, now: call.now });
    await emit(tx, call, { type: "team", ownerId: id, entityId: id, text: `created team ${slug}`, payload: { slug } });
    return { id, slug };
  },
};
