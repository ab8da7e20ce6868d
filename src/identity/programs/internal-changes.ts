// The internal changes of the authorization server.
import type { ChangeRunner } from "../../platform/kernel/internal-changes.ts";
import type { recordSignInFailure } from "../methods/failures/failures.ts";
import { revokeClientToken } from "../tokens/client-tokens.ts";
import { decideRequest } from "./approval.ts";
import { issueGrantedToken } from "./issue.ts";
import {
  consumeOAuthRecord,
  deleteOAuthRecord,
  pruneOAuthRecords,
  revokeOAuthGrant,
  saveOAuthRecord,
} from "./records.ts";

export const oauthChanges = {
  saveOAuthRecord,
  consumeOAuthRecord,
  deleteOAuthRecord,
  revokeOAuthGrant,
  pruneOAuthRecords,
  decideRequest,
  issueGrantedToken,
  revokeClientToken,
};

/** What the authorization server changes; a wrong code of a device counts as a failed sign-in. */
export type OAuthChanges = ChangeRunner<
  typeof oauthChanges & { readonly recordSignInFailure: typeof recordSignInFailure }
>;
