// Sessions: the browsers in which the user is signed in. The pages of src/identity/pages/ open them.
import { Type } from "typebox";
import { Nullable, OneOf, defineContract } from "../../platform/kernel/contract.ts";
import { PAGE_QUERY, Pagination } from "../../platform/kernel/pagination.ts";

export const SIGN_IN_METHODS = ["password", "passkey", "provider", "link", "recovery-code"] as const;

const Session = Type.Object(
  {
    id: Type.String(),
    device: Type.String({ description: "The browser and its system, such as `Firefox on Linux`." }),
    userAgent: Nullable(Type.String()),
    ip: Type.String({ description: "The address that signed in." }),
    method: OneOf(SIGN_IN_METHODS, { description: "What the user signed in with." }),
    isCurrent: Type.Boolean({ description: "The request came from this session." }),
    createdAt: Type.Integer(),
    activeAt: Type.Integer({ description: "When it was last used, to the minute." }),
    provedAt: Type.Integer({ description: "When the user last proved who they are." }),
    expiresAt: Type.Integer({ description: "When it ends if it is not used again." }),
  },
  { title: "Session" },
);

const NO_KEYS = "Not authorized: an API key can't see or end its user's sessions; use an access token";

export const sessionsContract = defineContract({
  listSessions: {
    method: "GET",
    path: "/v1/sessions",
    tag: "Sessions",
    summary: "The browsers in which the user is signed in",
    description: "A session ends 12 hours after its last use, and 7 days after it began at the latest.",
    access: { kind: "user", tokensOnly: NO_KEYS, wholeOnly: true },
    query: Type.Object(PAGE_QUERY),
    response: Type.Object({ sessions: Type.Array(Session), pagination: Pagination }),
    errors: ["invalid_cursor"],
    emits: [],
  },
  deleteSession: {
    method: "DELETE",
    path: "/v1/sessions/:sessionId",
    tag: "Sessions",
    gives: "nothing",
    summary: "End a session",
    description: "By its id, or as `current`. Its next request is refused.",
    access: { kind: "user", tokensOnly: NO_KEYS },
    params: Type.Object({ sessionId: Type.String({ maxLength: 64, description: "The session's id, or `current`." }) }),
    returns: "The id of the session that ended.",
    response: Type.Object({ id: Type.String() }),
    errors: [],
    emits: ["session-ended"],
  },
  deleteSessions: {
    method: "DELETE",
    path: "/v1/sessions",
    tag: "Sessions",
    gives: "nothing",
    summary: "End all sessions",
    description: "Signs the user out everywhere; with `keepCurrent` everywhere else.",
    access: { kind: "user", tokensOnly: NO_KEYS },
    query: Type.Object({ keepCurrent: Type.Optional(Type.Boolean()) }),
    example: { query: { keepCurrent: true } },
    returns: "How many sessions ended.",
    response: Type.Object({ ended: Type.Integer() }),
    errors: [],
    emits: ["session-ended"],
  },
});
