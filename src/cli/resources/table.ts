// The commands of teams, members, invites, secrets, tokens and API keys, as data.
import { countsNote } from "./counts-note.ts";
import type { Resource } from "./row.ts";
import { unreadableNote } from "./unreadable-secret.ts";

export const teams: Resource = {
  name: "teams",
  summary: "list, create and change teams",
  commands: {
    list: {
      operation: "listTeams",
      columns: ["slug", "name", "createdAt", "id"],
      examples: ["reeve teams list", "reeve teams list --json id,slug"],
    },
    create: {
      operation: "createTeam",
      args: ["slug"],
      examples: ["reeve teams create acme --name Acme"],
    },
    view: {
      operation: "getTeam",
      args: ["teamId"],
      examples: ["reeve teams view acme", "reeve teams view acme --json id,name"],
    },
    attention: {
      operation: "getTeamAttention",
      args: ["teamId"],
      examples: ["reeve teams attention acme", "reeve teams attention acme --json secrets,webhooks"],
    },
    update: {
      operation: "updateTeam",
      args: ["teamId"],
      examples: ["reeve teams update acme --name 'Acme Ltd'", "reeve teams update acme --input team.json"],
    },
    delete: {
      operation: "deleteTeam",
      args: ["teamId"],
      confirm: "Delete the team {teamId} and everything in it?",
      preview: "getTeam",
      done: "Deleted the team {teamId}.",
      examples: ["reeve teams delete acme --dry-run", "reeve teams delete acme --yes"],
    },
  },
};

export const members: Resource = {
  name: "members",
  summary: "see who is in a team, invite people and change their roles",
  commands: {
    list: {
      operation: "listTeamMembers",
      columns: ["username", "email", "role", "confirmed", "createdAt", "uid"],
      pageNote: ({ roleCounts }) => countsNote(roleCounts),
      examples: ["reeve members list --team acme", "reeve members list --team acme --role OWNER --json uid,email"],
    },
    view: { operation: "getTeamMember", examples: ["reeve members view USER_ID --team acme"] },
    invite: {
      operation: "inviteTeamMember",
      summary: "invite somebody to a team by e-mail address",
      args: ["email"],
      done: "Invited {email}.",
      examples: ["reeve members invite ada@example.com --team acme --role MEMBER"],
    },
    update: {
      operation: "updateTeamMember",
      done: "Changed the member {uid}.",
      examples: [
        "reeve members update USER_ID --team acme --role VIEWER",
        "reeve members update USER_ID --team acme --confirmed",
      ],
    },
    remove: {
      operation: "removeTeamMember",
      confirm: "Remove the member {uid} from the team {teamId}?",
      preview: "getTeamMember",
      done: "Removed the member {uid}.",
      examples: ["reeve members remove USER_ID --team acme --dry-run"],
    },
    projects: {
      operation: "listMemberProjects",
      columns: ["projectId", "role"],
      examples: ["reeve members projects USER_ID --team acme"],
    },
    join: {
      operation: "joinTeam",
      args: ["inviteCode"],
      done: "You are in.",
      examples: ["reeve members join INVITE_CODE"],
    },
  },
};

export const invites: Resource = {
  name: "invites",
  summary: "list, create and end invites to a team",
  commands: {
    list: {
      operation: "listInvites",
      columns: ["email", "kind", "role", "status", "expiresAt", "id"],
      examples: ["reeve invites list --team acme"],
    },
    create: {
      operation: "createInvite",
      shown: "invite",
      examples: ["reeve invites create --team acme --role VIEWER --max-uses 10 --expires 7d --json '*'"],
    },
    resend: { operation: "resendInvite", shown: "invite", examples: ["reeve invites resend INVITE_ID --team acme"] },
    delete: {
      operation: "deleteInvite",
      confirm: "End the invite {inviteCode}?",
      done: "Ended the invite {inviteCode}.",
      examples: ["reeve invites delete INVITE_ID --team acme --yes"],
    },
  },
};

export const tokens: Resource = {
  name: "tokens",
  aliases: ["token"],
  summary: "create, list and revoke access tokens",
  commands: {
    list: {
      operation: "listTokens",
      columns: ["name", "createdAt", "activeAt", "expiresAt", "id"],
      examples: ["reeve tokens list", "reeve tokens list --local --user admin"],
      alsoLocal: true,
    },
    view: { operation: "getToken", shown: "token", examples: ["reeve tokens view current"] },
    create: {
      operation: "createToken",
      shown: "token",
      once: "bearerToken",
      examples: [
        "reeve tokens create --name ci --expires 30d",
        "reeve tokens create --name ci --team acme",
        "reeve tokens create --local --user admin --name laptop",
      ],
      alsoLocal: true,
    },
    revoke: {
      operation: "deleteToken",
      confirm: "Revoke the token {tokenId}?",
      preview: "getToken",
      done: "Revoked the token {tokenId}.",
      examples: ["reeve tokens revoke TOKEN_ID", "reeve tokens revoke TOKEN_ID --local --user ada"],
      alsoLocal: true,
    },
  },
};

export const apiKeys: Resource = {
  name: "api-keys",
  summary: "create, rotate and delete API keys",
  commands: {
    list: {
      operation: "listApiKeys",
      columns: ["name", "role", "createdAt", "expiresAt", "id"],
      examples: ["reeve api-keys list --team acme", "reeve api-keys list --team acme --state ending"],
    },
    view: { operation: "getApiKey", shown: "apiKey", examples: ["reeve api-keys view KEY_ID --team acme"] },
    create: {
      operation: "createApiKey",
      shown: "apiKey",
      once: "value",
      note: ({ allows }) => allows as string,
      examples: [
        "reeve api-keys create --team acme --name gate --role SECURITY --permissions gate:connect",
        "reeve api-keys create --team acme --name ci --role DEVELOPER --projects shop --environments production --dry-run",
      ],
    },
    rotate: {
      operation: "rotateApiKey",
      shown: "apiKey",
      once: "value",
      examples: ["reeve api-keys rotate KEY_ID --team acme --overlap-ms 3600000"],
    },
    adopt: { operation: "adoptApiKey", shown: "apiKey", examples: ["reeve api-keys adopt KEY_ID --team acme"] },
    delete: {
      operation: "deleteApiKey",
      confirm: "Delete the API key {keyId}? The next request with it is refused.",
      preview: "getApiKey",
      done: "Deleted the API key {keyId}.",
      examples: ["reeve api-keys delete KEY_ID --team acme --dry-run"],
    },
  },
};

export const secrets: Resource = {
  name: "secrets",
  summary: "set, list and reveal secrets, and move them as an encrypted file",
  commands: {
    list: {
      operation: "listSecrets",
      columns: ["name", "version", "updatedAt", "expiresAt", "uid"],
      examples: ["reeve secrets list --team acme", "reeve secrets list --team acme --json name,version --all"],
    },
    view: {
      operation: "getSecret",
      fixed: { query: { decrypt: false } },
      examples: ["reeve secrets view DATABASE_URL --team acme"],
    },
    set: {
      load: async () => (await import("./secrets-set.ts")).secretsSetCommand,
      operations: ["setSecretValues"],
    },
    reveal: {
      operation: "getSecret",
      summary: "print the value of a secret, which is recorded",
      fixed: { query: { decrypt: true } },
      raw: "value",
      examples: ["reeve secrets reveal DATABASE_URL --team acme", "reeve secrets reveal TLS_KEY --team acme > key.pem"],
    },
    generate: {
      operation: "generateSecret",
      args: ["name"],
      note: unreadableNote,
      without: "value",
      examples: ["reeve secrets generate SESSION_KEY --team acme --length 64 --decryptable"],
    },
    update: {
      operation: "updateSecret",
      examples: ["reeve secrets update DATABASE_URL --team acme --description 'of the shop' --expires 90d"],
    },
    rename: {
      operation: "updateSecret",
      summary: "rename a secret",
      args: ["name", { member: "name", place: "body", as: "new-name" }],
      examples: ["reeve secrets rename OLD_NAME NEW_NAME --team acme --keep-alias"],
    },
    delete: {
      operation: "deleteSecret",
      confirm: "Delete the secret {name}?",
      preview: "getSecret",
      done: "Deleted the secret {name}.",
      examples: [
        "reeve secrets delete OLD --team acme --dry-run",
        "reeve secrets delete OLD --team acme --permanent --yes",
      ],
    },
    restore: { operation: "restoreSecret", examples: ["reeve secrets restore OLD --team acme"] },
    "versions list": {
      operation: "listSecretVersions",
      columns: ["version", "size", "createdAt", "restoredFrom", "createdBy"],
      examples: ["reeve secrets versions list DATABASE_URL --team acme"],
    },
    "versions view": {
      operation: "getSecretVersion",
      fixed: { query: { decrypt: false } },
      examples: ["reeve secrets versions view DATABASE_URL 2 --team acme"],
    },
    "versions restore": {
      operation: "restoreSecretVersion",
      examples: ["reeve secrets versions restore DATABASE_URL 2 --team acme"],
    },
    "names list": {
      operation: "listSecretNames",
      columns: ["name", "kind", "begunAt", "endedAt"],
      examples: ["reeve secrets names list DATABASE_URL --team acme"],
    },
    "names remove": {
      operation: "deleteSecretAlias",
      confirm: "Remove the name {alias} of the secret {name}?",
      examples: ["reeve secrets names remove DATABASE_URL OLD_NAME --team acme --yes"],
    },
    export: {
      load: async () => (await import("../commands/secrets.ts")).secretsExportCommand,
      operations: [],
    },
    import: {
      load: async () => (await import("../commands/secrets.ts")).secretsImportCommand,
      operations: [],
    },
  },
};
