// The handlers of the user's e-mail address.
import type { Implements } from "../../../platform/kernel/contract.ts";
import { requireEmail } from "../../../platform/kernel/text/email-address.ts";
import { changeAccount } from "../../accounts/change.ts";
import { requireAccount } from "../../accounts/service.ts";
import { lockOwner } from "../../../events/events/emit.ts";
import { requireMail } from "../codes/mail-limits.ts";
import { askForChange, findAddress } from "./change.ts";
import type { emailContract } from "./contract.ts";

export const emailService: Implements<typeof emailContract> = {
  getEmail: (tx, call) => findAddress(tx, requireAccount(call).id, call.now),

  async changeEmail(tx, call) {
    const { id, isAdmin } = requireAccount(call);
    const email = requireEmail(call.body.email);
    await lockOwner(tx, id);
    if (!call.instance.hasMail && isAdmin) {
      await changeAccount(tx, call, id, { email, emailSource: "vouched" });
    } else {
      requireMail(call.instance, "an administrator can change your address");
      await askForChange(tx, call, id, email);
    }
    return await findAddress(tx, id, call.now);
  },
};
