// The e-mail address of the user: what it is, and its change, which the old and the new address confirm.
import { Type } from "typebox";
import { Nullable, defineContract } from "../../../platform/kernel/contract.ts";
import { Email } from "../../accounts/contract.ts";

const access = {
  kind: "user",
  sessionsOnly:
    "Not authorized: the e-mail address is seen and changed in a browser, by the person who has signed in there",
} as const;
const tag = "Ways to sign in";

const Address = Type.Object(
  {
    email: Type.String(),
    isConfirmed: Type.Boolean({ description: "Its owner, or an administrator, has answered for it." }),
    pending: Nullable(
      Type.Object(
        {
          email: Type.String(),
          waitsFor: Type.Array(Type.String({ description: "`old` or `new`: the addresses that have yet to confirm." })),
          expiresAt: Type.Integer(),
        },
        { description: "A change that was asked for." },
      ),
    ),
  },
  { title: "EmailAddress" },
);

export const emailContract = defineContract({
  getEmail: {
    method: "GET",
    path: "/v1/user/email",
    tag,
    summary: "The user's e-mail address, and its pending change",
    access,
    response: Address,
    errors: [],
    emits: [],
  },
  changeEmail: {
    method: "POST",
    path: "/v1/user/email",
    tag,
    gives: "method",
    summary: "Ask to change the user's e-mail address",
    description:
      "Links go to the old and to the new address; it changes when both have confirmed, within a day. A later request replaces an " +
      "earlier one. An address that nobody has confirmed needs no word from itself. An instance without mail refuses the change, " +
      "except to administrators, who answer for their addresses themselves.",
    access,
    body: Type.Object({ email: Email }, { additionalProperties: false }),
    example: { body: { email: "ada@example.com" } },
    response: Address,
    errors: ["mail_off", "too_many_mails", "email_taken"],
    emits: ["email", "email-change-requested"],
  },
});
