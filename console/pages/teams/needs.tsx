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
import { Time, useNow } from "../../parts/time.tsx";
import { projectHref } from "../../parts/project.tsx";
import { useWhyNot } from "../../parts/why-not.ts";

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

type Attention = ReturnType<typeof useAttention>;

function useNeeds({ members, attacked, drafts, webhooks, keys, trustRules, secrets }: Attention): readonly Need[] {
  const teamId = useTeamId();
  const now = useNow();
  const base = `/teams/${teamId}`;
  return [
    ...members.map(({ uid, username }) => ({
      key: uid,
      icon: UserPlus,
      uid,
      text: `${username} asks to join`,
      action: "Look at it",
      href: `${base}/members`,
    })),
    ...attacked.map(({ name, security: { attackModeActiveUntil: until } }) => ({
      key: `attack ${name}`,
      icon: Siren,
      tone: "warn" as const,
      text: `Attack mode is on for ${name}${until === null ? "" : ", and ends"}`,
      action: "Look at attack mode",
      href: projectHref(ADDRESSES.firewallAttackMode, teamId, name),
      ...(until !== null && { until }),
    })),
    ...drafts.map(({ name }) => ({
      key: `draft ${name}`,
      icon: FilePen,
      text: `The firewall of ${name} has a draft that is not published`,
      action: "Review and publish",
      href: projectHref(ADDRESSES.firewallPublish, teamId, name),
    })),
    ...webhooks.map(({ id, url }) => ({
      key: id,
      icon: Webhook,
      tone: "bad" as const,
      text: `The webhook to ${url} does not work`,
      action: "See what fails",
      href: `${base}/webhooks/${id}`,
    })),
    ...keys.map(({ id, name }) => ({
      key: id,
      icon: Terminal,
      tone: "warn" as const,
      text: `The API key ${name} is suspended`,
      action: "Take it over",
      href: `${base}/keys`,
    })),
    ...trustRules.map(({ id, name }) => ({
      key: id,
      icon: BadgeCheck,
      tone: "warn" as const,
      text: `The trust rule ${name} is suspended`,
      action: "Take it over",
      href: ADDRESSES.trustRule.replace(":team", teamId).replace(":trust", id),
    })),
    ...secrets.map(({ uid, name, expiresAt }) => ({
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
