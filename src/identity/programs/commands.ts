// The internal commands of the authorization server.
import type { CommandRunner } from "../../platform/kernel/internal-commands.ts";
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

export const oauthCommands = {
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
export type OAuthCommands = CommandRunner<
  typeof oauthCommands & { readonly recordSignInFailure: typeof recordSignInFailure }
>;
