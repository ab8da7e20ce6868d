// Signing out: it ends the session in the store, so that its cookie is worth nothing afterwards.
import type { Page } from "../page.ts";

export const signOutPage: Page = {
  path: "sign-out",
  summary: "Sign out",
  needsSession: false,

  async submit({ caller, request, runOperation, cookies }) {
    if (caller) await runOperation(request, caller, "deleteSession", { params: { sessionId: "current" } });
    return { redirect: "sign-in", cookies: cookies.signedOut() };
  },
};
