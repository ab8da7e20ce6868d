// The releases of the generated SDK that are tested, and how their calls differ from each other.

/** Calls are as loose here as the releases' types differ; what comes back is asserted value by value. */
// oxlint-disable-next-line typescript/no-explicit-any
type Call = (request?: any) => Promise<any>;
type Functions<Name extends string> = Readonly<Record<Name, Call>>;

export interface Sdk {
  readonly teams: Functions<
    | "getTeams"
    | "getTeam"
    | "createTeam"
    | "patchTeam"
    | "deleteTeam"
    | "getTeamMembers"
    | "inviteUserToTeam"
    | "joinTeam"
    | "updateTeamMember"
    | "removeTeamMember"
    | "requestAccessToTeam"
    | "getTeamAccessRequest"
    | "deleteTeamInviteCode"
  >;
  readonly user: Functions<"getAuthUser" | "listUserEvents" | "requestDelete" | "listEventTypes">;
  readonly authentication: Functions<"createAuthToken" | "getAuthToken" | "listAuthTokens" | "deleteAuthToken">;
}

export interface Release {
  readonly version: string;
  /** Its name in package.json of this folder. */
  readonly packageName: string;
  /** How it sends the people to invite: one object, or (since 1.19) an array. */
  readonly invites: "object" | "array";
  /** 1.1.0 reads the answer to an invitation in a form that has no e-mail. */
  readonly givesInvitedEmail: boolean;
  /** 1.14 forgets the team id while it builds the path of this call, so no request leaves the client. */
  readonly canListMembers: boolean;
  /** 1.1.0 makes an empty object of every event. */
  readonly readsEvents: boolean;
  /** Knows the types of events and their payloads, as closed lists, and `listEventTypes`. */
  readonly hasEventTypes: boolean;
}

export const RELEASES: readonly Release[] = [
  {
    version: "1.1.0",
    packageName: "sdk-1-1",
    invites: "object",
    givesInvitedEmail: false,
    canListMembers: true,
    readsEvents: false,
    hasEventTypes: false,
  },
  {
    version: "1.14.0",
    packageName: "sdk-1-14",
    invites: "object",
    givesInvitedEmail: true,
    canListMembers: false,
    readsEvents: true,
    hasEventTypes: false,
  },
  {
    version: "1.21.9",
    packageName: "sdk-1-21",
    invites: "array",
    givesInvitedEmail: true,
    canListMembers: true,
    readsEvents: true,
    hasEventTypes: true,
  },
  {
    version: "1.28.35",
    packageName: "sdk-1-28",
    invites: "array",
    givesInvitedEmail: true,
    canListMembers: true,
    readsEvents: true,
    hasEventTypes: true,
  },
];

/** Loads a release; the result connects a caller's token to the server at `serverURL`. */
export async function loadSdk(release: Release, serverURL: string): Promise<(bearerToken: string) => Sdk> {
  const { Vercel } = (await import(release.packageName)) as {
    Vercel: new (options: { bearerToken: string; serverURL: string }) => Sdk;
  };
  return (bearerToken) => new Vercel({ bearerToken, serverURL });
}
