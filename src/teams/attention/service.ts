// The handler of what needs somebody in a team.
import type { Implements } from "../../platform/kernel/contract.ts";
import { hasPermission } from "../../platform/kernel/permission.ts";
import type { Permission } from "../../platform/kernel/roles.ts";
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import { MOST_COUNTED } from "./attention-schema.ts";
import type { attentionContract } from "./contract.ts";
import { countAttention } from "./store.ts";

/** The first notice of a secret's end comes this long before it. */
const SOON_MS = 7 * DAY_MS;
const MOST = MOST_COUNTED + 1;

export const attentionService: Implements<typeof attentionContract> = {
  async getTeamAttention(tx, { scope, now }) {
    const may = (permission: Permission) => Number(hasPermission(scope, permission));
    const counted = await countAttention(tx, {
      most: MOST,
      ownerId: scope.ownerId,
      now,
      soon: now + SOON_MS,
      members: may("member:read"),
      webhooks: may("webhook:read"),
      keys: may("api-key:read"),
      secrets: may("secret:read"),
      firewall: may("firewall:read"),
    });
    const { failing = null, disabled = null, ...counts } = counted ?? {};
    const webhooks = failing === null ? null : Math.min(failing + (disabled ?? 0), MOST);
    return Object.fromEntries(Object.entries({ ...counts, webhooks }).filter(([, count]) => count !== null));
  },
};
