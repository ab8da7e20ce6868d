// What the script asks before it asks an authenticator: a challenge, for a proof or for a new passkey of anyone who may make one here.
import { ApiError } from "../../../platform/kernel/errors.ts";
import { fieldOf, textOf } from "../form-body.ts";
import type { Page, PageRequest } from "../page.ts";

/** Whom a new passkey is for: the account that is signed in, that of a link, or that which an invitation or a sign-up makes. */
async function findSubject({ caller, query, signIn, request }: PageRequest) {
  if (caller?.account) return { userId: caller.account.id, ...pick(caller.account) };
  const code = query("code");
  const link = await signIn.previewLink(code);
  if (link) return { userId: link.userId, ...pick(link) };
  const invitation = await signIn.previewInvitation(code);
  if (invitation?.email || (await signIn.previewSignUp(code)))
    return { userId: null, username: textOf(request, "username"), name: textOf(request, "name") || null };
  throw new ApiError("link_unknown", "This link has expired, was used, or was replaced by a newer one");
}

function pick({ username, name }: { readonly username: string; readonly name: string | null }) {
  return { username, name };
}

export const passkeyOptionsPage: Page = {
  path: "passkey-options",
  summary: "A challenge for a passkey, for the script of the pages",
  needsSession: false,
  forScript: true,

  async submit(pageRequest) {
    const about = fieldOf(pageRequest.request, "purpose") === "new" ? await findSubject(pageRequest) : null;
    return { json: await pageRequest.signIn.askPasskey(about, pageRequest.client.site) };
  },
};
