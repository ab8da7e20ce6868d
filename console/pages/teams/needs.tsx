// What needs somebody in a team, with the action beside it.
import { BadgeCheck, Clock, FilePen, Siren, Terminal, UserPlus, Webhook } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import { useApi, useChange } from "../../api/queries.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Time, useNow } from "../../parts/time.tsx";
import { projectHref } from "../../parts/project.tsx";
import { useWhyNot } from "../../parts/why-not.ts";

const DAY_MS = 86_400_000;
/** The first notice of a secret's end comes this long before it. */
const SOON_MS = 7 * DAY_MS;

interface Need {
  readonly key: string;
  readonly icon: LucideIcon;
  /** What is wrong already, what will be, or neither. */
  readonly tone?: "bad" | "warn";
  readonly text: string;
  /** What the link beside it does. */
  readonly action: string;
  readonly href: string;
  /** When it ends by itself. */
  readonly until?: number;
  /** Who asks to join, and can be answered right here. */
  readonly uid?: string;
}

const MOST = 100;

/** Of what the newest hundred events of a type are about: the ids, each once. */
function useEntities(types: string): readonly string[] {
  const query = { teamId: useTeamId(), types, limit: MOST };
  const events = useApi("GET /v3/events", { query }, { enabled: useMay("event:read") === true });
  return [...new Set((events.data?.value.events ?? []).flatMap(({ entityId }) => entityId ?? []))];
}

/** Both lists, each object once. */
function union<T extends { readonly uid: string }>(one: readonly T[] = [], other: readonly T[] = []): readonly T[] {
  return [...new Map([...one, ...other].map((each) => [each.uid, each])).values()];
}

/** The newest hundred of each kind, and older ones that an event has told of: who asked to join, and secrets that end. */
function useLists() {
  const teamId = useTeamId();
  const params = { teamId };
  const owner = { query: { teamId, limit: MOST } };
  const asking = useEntities("team-member-request-access");
  const ending = useEntities("secret-expiring");
  const maySecrets = useMay("secret:read") === true;
  const members = useApi("GET /v2/teams/:teamId/members", { params, query: { limit: MOST } });
  const askers = useApi(
    "GET /v2/teams/:teamId/members",
    { params, query: { limit: MOST, filterByUserIds: [...asking] } },
    { enabled: asking.length > 0 },
  );
  // As the card of the webhooks reads them.
  const healthy = { query: { teamId, withHealth: true } };
  const webhooks = useApi("GET /v1/webhooks", healthy, { enabled: useMay("webhook:read") === true });
  const mayKeys = useMay("api-key:read") === true;
  const keys = useApi("GET /v1/api-keys", owner, { enabled: mayKeys });
  const trusts = useApi("GET /v1/identity/trusts", owner, { enabled: mayKeys });
  const secrets = useApi("GET /v2/secrets", owner, { enabled: maySecrets });
  const enders = useApi(
    "GET /v2/secrets",
    { query: { ...owner.query, id: ending.join(",") } },
    { enabled: maySecrets && ending.length > 0 },
  );
  const projects = useApi("GET /v9/projects", owner, { enabled: useMay("firewall:read") === true });
  const failed = [members, askers, webhooks, keys, trusts, secrets, enders, projects].filter(
    ({ error }) => error !== null,
  );
  return {
    error: failed[0]?.error ?? null,
    isPending: members.isPending,
    again: () => failed.forEach(({ refetch }) => void refetch()),
    members: union(members.data?.value.members, askers.data?.value.members),
    webhooks: webhooks.data?.value ?? [],
    keys: keys.data?.value.apiKeys ?? [],
    trusts: trusts.data?.value.trusts ?? [],
    secrets: union(secrets.data?.value.secrets, enders.data?.value.secrets),
    projects: projects.data?.value.projects ?? [],
  };
}

type Lists = ReturnType<typeof useLists>;

function projectNeeds(projects: Lists["projects"], teamId: string): readonly Need[] {
  return projects.flatMap(({ name, security }): Need[] => [
    ...(security.attackModeEnabled
      ? [
          {
            key: `attack ${name}`,
            icon: Siren,
            tone: "warn" as const,
            text:
              security.attackModeActiveUntil === null
                ? `Attack mode is on for ${name}`
                : `Attack mode is on for ${name}, and ends`,
            action: "Look at attack mode",
            href: projectHref(ADDRESSES.firewallAttackMode, teamId, name),
            ...(security.attackModeActiveUntil !== null && { until: security.attackModeActiveUntil }),
          },
        ]
      : []),
    ...(security.firewallDraftUpdatedAt === undefined
      ? []
      : [
          {
            key: `draft ${name}`,
            icon: FilePen,
            text: `The firewall of ${name} has a draft that is not published`,
            action: "Review and publish",
            href: projectHref(ADDRESSES.firewallPublish, teamId, name),
          },
        ]),
  ]);
}

function useNeeds({ members, webhooks, keys, trusts, secrets, projects }: Lists): readonly Need[] {
  const teamId = useTeamId();
  const now = useNow();
  const base = `/teams/${teamId}`;
  return [
    ...members
      .filter(({ confirmed, accessRequestedAt }) => !confirmed && accessRequestedAt !== undefined)
      .map(({ uid, username }) => ({
        key: uid,
        icon: UserPlus,
        uid,
        text: `${username} asks to join`,
        action: "Look at it",
        href: `${base}/members`,
      })),
    ...projectNeeds(projects, teamId),
    ...webhooks
      .filter(({ active, inactiveReason, failingSince }) =>
        active ? failingSince !== null : inactiveReason !== "request",
      )
      .map(({ id, url }) => ({
        key: id,
        icon: Webhook,
        tone: "bad" as const,
        text: `The webhook to ${url} does not work`,
        action: "See what fails",
        href: `${base}/webhooks/${id}`,
      })),
    ...keys
      .filter(({ suspendedAt }) => suspendedAt !== null)
      .map(({ id, name }) => ({
        key: id,
        icon: Terminal,
        tone: "warn" as const,
        text: `The API key ${name} is suspended`,
        action: "Take it over",
        href: `${base}/keys`,
      })),
    ...trusts
      .filter(({ suspendedAt }) => suspendedAt !== null)
      .map(({ id, name }) => ({
        key: id,
        icon: BadgeCheck,
        tone: "warn" as const,
        text: `The trust rule ${name} is suspended`,
        action: "Take it over",
        href: ADDRESSES.trustRule.replace(":team", teamId).replace(":trust", id),
      })),
    ...secrets
      .filter(({ expiresAt }) => expiresAt !== null && expiresAt < now + SOON_MS)
      .map(({ uid, name, expiresAt }) => ({
        key: uid,
        icon: Clock,
        tone: expiresAt !== null && expiresAt <= now ? ("bad" as const) : ("warn" as const),
        text: expiresAt !== null && expiresAt <= now ? `The secret ${name} has ended` : `The secret ${name} ends`,
        action: "Replace it",
        href: `${base}/secrets/${encodeURIComponent(name)}`,
        ...(expiresAt !== null && { until: expiresAt }),
      })),
  ];
}

function Answer({ uid }: { readonly uid: string }): ReactNode {
  const params = { teamId: useTeamId(), uid };
  const why = useWhyNot("member:manage");
  const accept = useChange("PATCH /v1/teams/:teamId/members/:uid");
  const decline = useChange("DELETE /v1/teams/:teamId/members/:uid");
  const error = accept.error ?? decline.error;
  return (
    <>
      <Button
        disabledBecause={why}
        busy={accept.isPending}
        onClick={() => accept.mutate({ params, body: { confirmed: true } })}
      >
        Accept
      </Button>
      <Button kind="plain" disabledBecause={why} busy={decline.isPending} onClick={() => decline.mutate({ params })}>
        Decline
      </Button>
      {error && <Problem error={error} />}
    </>
  );
}

export function Needs(): ReactNode {
  const lists = useLists();
  const { error, isPending, again } = lists;
  const needs = useNeeds(lists);
  return (
    <section className="panel">
      <header>
        <h2>Needs attention {needs.length > 0 && <span className="count">{needs.length}</span>}</h2>
      </header>
      {error && <Problem error={error} retry={again} />}
      {isPending && !error && <Skeleton rows={3} />}
      {needs.length === 0 && !isPending && !error && <p className="quiet">Nothing needs attention.</p>}
      <ul className="rows needs">
        {needs.map(({ key, icon: Icon, tone, text, action, href, until, uid }) => (
          <li key={key}>
            <span className={tone ? `need-icon ${tone}` : "need-icon"}>
              <Icon className="i" />
            </span>
            <span className="grow">
              {text}
              {until !== undefined && (
                <span className="quiet">
                  {" "}
                  <Time at={until} />
                </span>
              )}
            </span>
            <span className="tools">
              {uid === undefined ? (
                <Link className="button plain" href={href}>
                  {action}
                </Link>
              ) : (
                <Answer uid={uid} />
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
