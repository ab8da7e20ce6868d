// The internal commands of the authorization server.
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
