// The handler that makes bundles.
import { hash } from "node:crypto";
import type { ChallengeKey } from "../evaluator/bundle.ts";
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { readAttackMode } from "../attack-mode/state.ts";
import { listVerifiableBots } from "../bots/bots.ts";
import { listActiveBypasses } from "../bypasses/list.ts";
import { listBypassRulesOf } from "../bypasses/rule-list.ts";
import { recordEngine } from "../configurations/crs-engine.ts";
import { readActiveDocument } from "../configurations/document-cache.ts";
import { activeKeyDerivation } from "../../platform/keyring/sealing/derive.ts";
import { requireProject } from "../../teams/projects/existence.ts";
import { projectKeyOf } from "../../platform/kernel/project.ts";
import type { ProjectKey } from "../../platform/kernel/project.ts";
import type { gateContract } from "./contract.ts";

type BundleCall = Call<typeof gateContract.getGateBundle>;

/** A gate that loses the control plane has keys for this long. */
const DAYS_AHEAD = 7;

/** The keys of yesterday, whose passes may be valid still, of today, and of the days ahead. */
async function challengeKeys(tx: Tx, call: BundleCall, { ownerId, projectId }: ProjectKey): Promise<ChallengeKey[]> {
  const derive = await activeKeyDerivation(tx, call.keyring);
  const today = Math.floor(call.now / DAY_MS);
  return Array.from({ length: DAYS_AHEAD + 2 }, (_, at) => {
    const day = today - 1 + at;
    const key = derive(JSON.stringify(["challenge", ownerId, projectId, day]));
    return { day, key: key.toString("base64url") };
  });
}

async function readBundle(tx: Tx, call: BundleCall) {
  const project = projectKeyOf(call);
  const { ownerId, projectId } = project;
  await requireProject(tx, project);
  const active = await readActiveDocument(tx, project);
  const { isEnabled, activeUntil, since } = await readAttackMode(tx, ownerId, projectId, call.now);
  const rest = {
    attackMode: { isEnabled, activeUntil, since },
    bypasses: await listActiveBypasses(tx, ownerId, projectId, call.now),
    bypassRules: await listBypassRulesOf(tx, ownerId, projectId),
    challengeKeys: await challengeKeys(tx, call, project),
    bots: await listVerifiableBots(tx),
  };
  // The document is stored as JSON, and may be large.
  return Buffer.concat([
    Buffer.from(`${JSON.stringify({ ownerId, projectId }).slice(0, -1)},"configuration":`),
    active?.document ?? Buffer.from("null"),
    Buffer.from(`,${JSON.stringify(rest).slice(1)}`),
  ]);
}

export const gateService: Implements<typeof gateContract> = {
  async reportGateEngine(tx, call) {
    const project = projectKeyOf(call);
    await requireProject(tx, project);
    await recordEngine(tx, project, call.body.crs, call.now);
    return { ok: true };
  },

  async getGateBundle(tx, call) {
    const rendered = await readBundle(tx, call);
    return { rendered, contentTag: hash("sha256", rendered, "base64url") };
  },
};
