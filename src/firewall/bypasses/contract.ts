// Endpoints of the bypass list of a project: clients that attack challenge mode does not challenge.
import { Nullable, defineContract } from "../../platform/kernel/contract.ts";
import { Type } from "typebox";
import { PROJECT_LIMIT, PROJECT_QUERY } from "../../platform/kernel/project.ts";
import { AddedBypass, BYPASS_MEMBERS, Bypass, MAX_BYPASSES, Note, PageAfterId, Ttl } from "./bypass-schema.ts";

const TAG = "Firewall bypasses";
const PATH = "/v1/security/firewall/bypass";
const ALIASES = ["/security/firewall/bypass", "/v1/firewalls/bypass", "/firewalls/bypass"];
const READ = { kind: "owner", permission: "firewall:read" } as const;
const WRITE = { kind: "owner", permission: "firewall:write" } as const;

export const DEFAULT_BYPASS_LIMIT = 10;
const MAX_BYPASS_LIMIT = 128;

export const bypassesContract = defineContract({
  listBypasses: {
    method: "GET",
    path: PATH,
    aliases: ALIASES,
    tag: TAG,
    summary: "The bypass list of a project",
    description: "Expired entries are left out. All filters apply together.",
    access: READ,
    limits: PROJECT_LIMIT,
    query: Type.Object({
      ...PROJECT_QUERY,
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_BYPASS_LIMIT,
          description: `Entries per page; ${DEFAULT_BYPASS_LIMIT} by default.`,
        }),
      ),
      sourceIp: Type.Optional(Type.String({ maxLength: 49, description: "Only of this address or network." })),
      domain: Type.Optional(
        Type.String({ maxLength: 2_544, description: "Only of this domain; `*`: for the whole project." }),
      ),
      projectScope: Type.Optional(
        Type.Boolean({ description: "Only those for the whole project, or only those for a domain." }),
      ),
      offset: Type.Optional(
        Type.String({ maxLength: 2_560, description: "Entries after this one: `pagination.Id` of the previous page." }),
      ),
    }),
    example: { query: { projectId: "shop" } },
    response: PageAfterId(Bypass),
    errors: ["invalid_cursor"],
    emits: [],
  },
  addBypass: {
    method: "POST",
    path: PATH,
    aliases: ALIASES,
    tag: TAG,
    gives: "nothing",
    summary: "Add an entry to the bypass list: its clients are not challenged",
    description:
      `For one domain (\`domain\`) or the whole project (\`projectScope\`), and for one network (\`sourceIp\`) or every ` +
      `client (\`allSources\`). An existing entry gets the new expiry, and the new note if there is one. A ` +
      `project has at most ${MAX_BYPASSES} entries.`,
    access: WRITE,
    limits: PROJECT_LIMIT,
    query: Type.Object(PROJECT_QUERY),
    body: Type.Object(
      { ...BYPASS_MEMBERS, ttl: Type.Optional(Ttl), note: Type.Optional(Note) },
      { additionalProperties: false },
    ),
    example: {
      query: { projectId: "shop" },
      body: { domain: "shop.example.com", sourceIp: "192.0.2.0/24", note: "Our own monitoring" },
    },
    returns: "The entry that was added.",
    response: Type.Object({
      ok: Type.Boolean(),
      result: Type.Array(AddedBypass),
      pagination: Nullable(Type.Object({})),
    }),
    errors: ["too_many_bypasses"],
    emits: ["firewall-bypass-created", "firewall-bypass-deleted"],
  },
  removeBypass: {
    method: "DELETE",
    path: PATH,
    aliases: ALIASES,
    tag: TAG,
    gives: "nothing",
    summary: "Remove an entry from the bypass list",
    access: WRITE,
    limits: PROJECT_LIMIT,
    query: Type.Object(PROJECT_QUERY),
    body: Type.Object(
      // Clients send the whole entry.
      { ...BYPASS_MEMBERS, note: Type.Optional(Note) },
      { additionalProperties: false },
    ),
    example: { query: { projectId: "shop" }, body: { domain: "shop.example.com", sourceIp: "192.0.2.0/24" } },
    returns: "The entry was removed.",
    response: Type.Object({ ok: Type.Boolean() }),
    errors: [],
    emits: ["firewall-bypass-deleted"],
  },
});
