// What the floor answers, as schemas for Fastify's serializer: the keys of Reeve's answers, in their order.
const TEXT = { type: "string" } as const;
const NULLABLE = { type: "string", nullable: true } as const;
const WHOLE = { type: "integer" } as const;
const FLAG = { type: "boolean" } as const;
const EMPTY = { type: "object" } as const;

const object = (properties: Record<string, object>) => ({ type: "object", properties }) as const;
const list = (items: object) => ({ type: "array", items }) as const;

export const USER_ANSWER = object({
  user: object({
    id: TEXT,
    email: TEXT,
    username: TEXT,
    name: NULLABLE,
    avatar: NULLABLE,
    defaultTeamId: NULLABLE,
    version: NULLABLE,
    createdAt: WHOLE,
    billing: NULLABLE,
    softBlock: NULLABLE,
    hasTrialAvailable: FLAG,
    stagingPrefix: TEXT,
    resourceConfig: EMPTY,
    isAdmin: FLAG,
  }),
});

export const TEAM_ANSWER = object({
  id: TEXT,
  slug: TEXT,
  name: NULLABLE,
  avatar: NULLABLE,
  createdAt: WHOLE,
  membership: object({
    role: TEXT,
    confirmed: FLAG,
    confirmedAt: WHOLE,
    created: WHOLE,
    createdAt: WHOLE,
    uid: TEXT,
    teamId: TEXT,
    teamRoles: list(TEXT),
    teamPermissions: list(TEXT),
    joinedFrom: object({ origin: TEXT }),
  }),
  description: NULLABLE,
  billing: object({ plan: TEXT }),
  updatedAt: WHOLE,
  creatorId: TEXT,
  stagingPrefix: TEXT,
  inviteCode: TEXT,
  emailDomain: NULLABLE,
  previewDeploymentSuffix: NULLABLE,
  resourceConfig: EMPTY,
  remoteCaching: object({ enabled: FLAG }),
  saml: object({ enforced: FLAG, roles: EMPTY }),
  sensitiveEnvironmentVariablePolicy: TEXT,
  enablePreviewFeedback: TEXT,
  enableProductionFeedback: TEXT,
  hideIpAddresses: FLAG,
  hideIpAddressesInLogDrains: FLAG,
});

export const TEAMS_ANSWER = object({
  teams: list(TEAM_ANSWER),
  pagination: object({
    count: WHOLE,
    next: { type: "integer", nullable: true },
    prev: { type: "integer", nullable: true },
  }),
});

export const CREATED_ANSWER = object({ id: TEXT, slug: TEXT });
