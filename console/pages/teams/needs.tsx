// What needs somebody in a team, with the action beside it.
import { BadgeCheck, Clock, FilePen, Siren, Terminal, UserPlus, Webhook } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import { useAttention } from "../../api/attention.ts";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { Time, useNow } from "../../parts/time.tsx";
import { projectHref } from "../../parts/project.tsx";
import { useWhyNot } from "../../parts/why-not.ts";

interface Need {
  readonly key: string;
  readonly icon: LucideIcon;
  /** What is wrong already, what will be, or neither. */
  readonly tone?: "bad" | "warn";
  readonly text: ReactNode;
  /** What is read as often as the first line. */
  readonly below?: ReactNode;
  /** What the link beside it does. */
  readonly action: string;
  readonly href: string;
  /** Who asks to join, and can be answered right here. */
  readonly uid?: string;
}

type Attention = ReturnType<typeof useAttention>;

const SUSPENDED = "Its responsible person may no longer do what it may.";

function useNeeds({ members, attacked, drafts, webhooks, keys, trustRules, secrets }: Attention): readonly Need[] {
  const teamId = useTeamId();
  const now = useNow();
  const base = `/teams/${teamId}`;
  return [
    ...attacked.map(({ name, security: { attackModeActiveUntil: until } }) => ({
      key: `attack ${name}`,
      icon: Siren,
      tone: "warn" as const,
      text: `Attack mode is on for ${name}`,
      below:
        until === null ? (
          "Until somebody switches it off"
        ) : (
          <>
            Ends <Time at={until} />
          </>
        ),
      action: "View attack mode",
      href: projectHref(ADDRESSES.firewallAttackMode, teamId, name),
    })),
    ...webhooks.map(({ id, url, description, failingSince }) => ({
      key: id,
      icon: Webhook,
      tone: "bad" as const,
      text: `Webhook to ${new URL(url).host} is ${failingSince === null ? "inactive" : "failing"}`,
      below: (
        <>
          {description || url}
          {failingSince !== null && (
            <>
              , first failure <Time at={failingSince} />
            </>
          )}
        </>
      ),
      action: "View failures",
      href: `${base}/webhooks/${id}`,
    })),
    ...secrets.map(({ uid, name, description, version, updatedAt, expiresAt }) => {
      const hasEnded = expiresAt !== null && expiresAt <= now;
      return {
        key: uid,
        icon: Clock,
        tone: hasEnded ? ("bad" as const) : ("warn" as const),
        text: (
          <>
            <code>{name}</code> {hasEnded ? "ended" : "ends"} {expiresAt !== null && <Time at={expiresAt} />}
          </>
        ),
        below: (
          <>
            {description && `${description}. `}Version {version}, changed <Time at={updatedAt} />
          </>
        ),
        action: "Replace value",
        href: `${base}/secrets/${encodeURIComponent(name)}`,
      };
    }),
    ...keys.map(({ id, name }) => ({
      key: id,
      icon: Terminal,
      tone: "warn" as const,
      text: `API key ${name} is suspended`,
      below: SUSPENDED,
      action: "Take it over",
      href: `${base}/keys`,
    })),
    ...trustRules.map(({ id, name }) => ({
      key: id,
      icon: BadgeCheck,
      tone: "warn" as const,
      text: `Trust rule ${name} is suspended`,
      below: SUSPENDED,
      action: "Take it over",
      href: ADDRESSES.trustRule.replace(":team", teamId).replace(":trust", id),
    })),
    ...members.map(({ uid, name, username, email, accessRequestedAt }) => ({
      key: uid,
      icon: UserPlus,
      uid,
      text: `${name ?? username} asks to join`,
      below: (
        <>
          {email}
          {accessRequestedAt !== undefined && (
            <>
              , <Time at={accessRequestedAt} />
            </>
          )}
        </>
      ),
      action: "Review",
      href: `${base}/members`,
    })),
    ...drafts.map(({ name, security: { firewallDraftUpdatedAt: changedAt } }) => ({
      key: `draft ${name}`,
      icon: FilePen,
      text: `Firewall of ${name} has unpublished changes`,
      below: changedAt !== undefined && (
        <>
          Changed <Time at={changedAt} />
        </>
      ),
      action: "Review and publish",
      href: projectHref(ADDRESSES.firewallPublish, teamId, name),
    })),
  ];
}

function Answer({ uid }: { readonly uid: string }): ReactNode {
  const params = { teamId: useTeamId(), uid };
  const why = useWhyNot("member:manage");
  const accept = useChange("PATCH /v1/teams/:teamId/members/:uid");
  const decline = useChange("DELETE /v1/teams/:teamId/members/:uid");
  return (
    <>
      <Button kind="ghost" disabledBecause={why} busy={decline.isPending} onClick={() => decline.mutate({ params })}>
        Decline
      </Button>
      <Button
        kind="plain"
        disabledBecause={why}
        busy={accept.isPending}
        onClick={() => accept.mutate({ params, body: { confirmed: true } })}
      >
        Accept
      </Button>
      {accept.error && <Refusal error={accept.error} retry={() => accept.mutate(accept.variables)} />}
      {decline.error && <Problem error={decline.error} />}
    </>
  );
}

export function Needs(): ReactNode {
  const attention = useAttention();
  const { error, isPending, again } = attention;
  const needs = useNeeds(attention);
  return (
    <section className="panel">
      <header>
        <h2>Needs attention {needs.length > 0 && <span className="count">{needs.length}</span>}</h2>
      </header>
      {error && <Problem error={error} retry={again} />}
      {isPending && !error && <Skeleton rows={3} />}
      {needs.length === 0 && !isPending && !error && <p className="quiet">Nothing needs attention.</p>}
      <ul className="rows needs">
        {needs.map(({ key, icon: Icon, tone, text, below, action, href, uid }) => (
          <li key={key}>
            <span className={tone ? `need-icon ${tone}` : "need-icon"}>
              <Icon className="i" />
            </span>
            <span className="grow">
              <strong>{text}</strong>
              {below && <span className="small">{below}</span>}
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
