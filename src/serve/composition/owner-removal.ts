// Composes the deletion of teams and accounts from the hooks of the resources, which run in this order.
import { membersRemoval } from "../../teams/members/removal/account-removal.ts";
import { createOwnerRemoval } from "../../platform/store/removals/remove.ts";
import { webhooksRemoval } from "../../events/webhooks/removal.ts";

export const ownerRemoval = createOwnerRemoval([membersRemoval, webhooksRemoval]);
