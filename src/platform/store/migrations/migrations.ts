// All migrations: a new one is a file and a line at the end.
import { foundation } from "./0001-foundation.ts";
import { secrets } from "./0002-secrets.ts";
import { firewall } from "./0003-firewall.ts";
import { webhooks } from "./0004-webhooks.ts";
import { checkpoints } from "./0005-checkpoints.ts";
import { audit } from "./0006-audit.ts";
import { joining } from "./0007-joining.ts";
import { tokenLimit } from "./0008-token-limit.ts";
import { loggedResponses } from "./0009-logged-responses.ts";
import { keyResponsibility } from "./0010-key-responsibility.ts";
import { search } from "./0011-search.ts";
import { mailLimits } from "./0012-mail-limits.ts";
import { invitations } from "./0013-invitations.ts";
import { removals } from "./0014-removals.ts";
import { bypassRules } from "./0015-bypass-rules.ts";
import { signIn } from "./0016-sign-in.ts";
import { oauth } from "./0017-oauth.ts";
import { changedOwners } from "./0018-changed-owners.ts";
import { changedOwnersOnPostgres } from "./0019-changed-owners-on-postgres.ts";
import { eventRows } from "./0020-event-rows.ts";
import { keyPermissions } from "./0021-key-permissions.ts";
import { verifiedBots } from "./0022-verified-bots.ts";
import { gateDecisions } from "./0023-gate-decisions.ts";
import { crsEngine } from "./0024-crs-engine.ts";
import { attackModeAutomatic } from "./0025-attack-mode-automatic.ts";
import { environments } from "./0026-environments.ts";
import { narrowCredentials } from "./0027-narrow-credentials.ts";
import { identityExchange } from "./0028-identity-exchange.ts";
import { identityLastUse } from "./0029-identity-last-use.ts";
import { attackModeSince } from "./0030-attack-mode-since.ts";
import { canonicalAddresses } from "./0031-canonical-addresses.ts";
import { changesAlwaysRecorded } from "./0032-changes-always-recorded.ts";
import { storageLimits } from "./0033-storage-limits.ts";
import { secretSearch } from "./0034-secret-search.ts";
import { invitesOfAPerson } from "./0035-invites-of-a-person.ts";
import { mappedFormerMembers } from "./0036-mapped-former-members.ts";
import { writeProbes } from "./0037-write-probes.ts";
import { versionIndexes } from "./0038-version-indexes.ts";
import { sortedSecrets } from "./0039-sorted-secrets.ts";
import { activity } from "./0040-activity.ts";
import { versionTotals } from "./0041-version-totals.ts";
import { mailSettings } from "./0042-mail-settings.ts";
import { secretEntries } from "./0043-secret-entries.ts";
import { attention } from "./0044-attention.ts";
import { eventKeys } from "./0045-event-keys.ts";
import { membersByName } from "./0046-members-by-name.ts";
import type { Migration } from "./migration.ts";

/** In their order. */
export const MIGRATIONS: readonly Migration[] = [
  foundation,
  secrets,
  firewall,
  webhooks,
  checkpoints,
  audit,
  joining,
  tokenLimit,
  loggedResponses,
  keyResponsibility,
  search,
  mailLimits,
  invitations,
  removals,
  bypassRules,
  signIn,
  oauth,
  changedOwners,
  changedOwnersOnPostgres,
  eventRows,
  keyPermissions,
  verifiedBots,
  gateDecisions,
  crsEngine,
  attackModeAutomatic,
  environments,
  narrowCredentials,
  identityExchange,
  identityLastUse,
  attackModeSince,
  canonicalAddresses,
  changesAlwaysRecorded,
  storageLimits,
  secretSearch,
  invitesOfAPerson,
  mappedFormerMembers,
  writeProbes,
  versionIndexes,
  sortedSecrets,
  activity,
  versionTotals,
  mailSettings,
  secretEntries,
  attention,
  eventKeys,
  membersByName,
];
