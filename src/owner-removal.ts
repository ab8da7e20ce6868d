// Composes the deletion of teams and accounts from the hooks of the resources, which run in this order.
import { membersRemoval } from "./resources/members/removal/account-removal.ts";
import { createOwnerRemoval } from "./resources/removals/remove.ts";
import { webhooksRemoval } from "./resources/webhooks/removal.ts";

export const ownerRemoval = createOwnerRemoval([membersRemoval, webhooksRemoval]);
