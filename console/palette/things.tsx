// What of a team the palette finds by a few letters: its things, and what can be done with the letters. Its code comes when it is needed.
import { Box, History, KeyRound, Layers, Plus, Shield, Terminal, UserPlus, Users, Webhook } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../addresses.ts";
import { useApi } from "../api/queries.ts";
import { useMay, useTeamId } from "../api/team.ts";
import { shownConfig, useConfigs } from "../pages/firewall/firewall-config.ts";
import { useEnvironments } from "../pages/environments/project-environments.ts";
import { projectHref, projectPageHref, useProject } from "../parts/project.tsx";

/** Of each kind; the page of the list has all. */
const MOST = 5;
/** Lists without a search of their own are read so far. */
const READ = 100;

const ID = /^[a-z]+_\w{8,}$/i;

interface Props {
  readonly asked: string;
  readonly onGo: () => void;
}

interface Thing {
  readonly name: string;
  readonly href: string;
  readonly where: string;
}

/** A name with the letters marked by which it was found. */
function Marked({ text, asked }: { readonly text: string; readonly asked: string }): ReactNode {
  const at = text.toLowerCase().indexOf(asked.toLowerCase());
  if (at < 0 || asked === "") return text;
  const end = at + asked.length;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, end)}</mark>
      {text.slice(end)}
    </>
  );
}

interface GroupProps extends Props {
  readonly title: string;
  readonly icon: LucideIcon;
  readonly things: readonly Thing[] | undefined;
  readonly error?: Error | null;
}

function Group({ title, icon: Icon, things = [], error = null, asked, onGo }: GroupProps): ReactNode {
  if (error) return <p className="hint">{title} could not be read</p>;
  if (things.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {things.slice(0, MOST).map(({ name, href, where }) => (
          <li key={href}>
            <Link href={href} onClick={onGo}>
              <Icon className="i" />
              <span className="grow">
                <Marked text={name} asked={asked} />
              </span>
              <span className="quiet">{where}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

const fits = (text: string, asked: string): boolean => text.toLowerCase().includes(asked.toLowerCase());

function useAddress(): (name: keyof typeof ADDRESSES, more?: Readonly<Record<string, string>>) => string {
  const teamId = useTeamId();
  return (name, more = {}) =>
    Object.entries(more).reduce(
      (path, [key, value]) => path.replace(`:${key}`, encodeURIComponent(value)),
      ADDRESSES[name].replace(":team", encodeURIComponent(teamId)),
    );
}

function Secrets(props: Props): ReactNode {
  const teamId = useTeamId();
  const address = useAddress();
  const { data, error } = useApi("GET /v2/secrets", { query: { teamId, search: props.asked, limit: MOST } });
  const things = data?.value.secrets.map(({ name, description }) => ({
    name,
    href: address("secret", { name }),
    where: description ?? "",
  }));
  return <Group {...props} title="Secrets" icon={KeyRound} things={things} error={error} />;
}

/** The keys of the project that is shown. */
function Entries(props: Props): ReactNode {
  const teamId = useTeamId();
  const [project] = useProject();
  const { environments, error } = useEnvironments();
  const counts = new Map<string, number>();
  for (const { entries } of environments ?? []) {
    for (const { key } of entries) if (fits(key, props.asked)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const things = [...counts].map(([key, count]) => ({
    name: key,
    href: projectHref(ADDRESSES.environmentKey, teamId, project).replace(":key", encodeURIComponent(key)),
    where: `${project}, in ${count === 1 ? "1 environment" : `${count} environments`}`,
  }));
  return <Group {...props} title="Environments" icon={Layers} things={things} error={error} />;
}

function Rules(props: Props): ReactNode {
  const teamId = useTeamId();
  const [project] = useProject();
  const { data, error } = useConfigs();
  const rules = (data && shownConfig(data)?.rules) ?? [];
  const things = rules
    .filter(({ name, description }) => fits(`${name}\n${description ?? ""}`, props.asked))
    .map(({ id, name }) => ({
      name,
      href: projectHref(ADDRESSES.firewallRule, teamId, project).replace(":rule", encodeURIComponent(id)),
      where: project,
    }));
  return <Group {...props} title="Rules" icon={Shield} things={things} error={error} />;
}

function Projects(props: Props): ReactNode {
  const teamId = useTeamId();
  const { data, error } = useApi("GET /v9/projects", { query: { teamId, search: props.asked, limit: MOST } });
  const things = data?.value.projects.map(({ name }) => ({ name, href: projectPageHref(teamId, name), where: "" }));
  return <Group {...props} title="Projects" icon={Box} things={things} error={error} />;
}

function Webhooks(props: Props): ReactNode {
  const address = useAddress();
  const { data, error } = useApi("GET /v1/webhooks", { query: { teamId: useTeamId() } });
  const things = data?.value
    .filter(({ url, description }) => fits(`${url}\n${description ?? ""}`, props.asked))
    .map(({ id, url, description }) => ({
      name: url,
      href: address("webhook", { webhook: id }),
      where: description ?? "",
    }));
  return <Group {...props} title="Webhooks" icon={Webhook} things={things} error={error} />;
}

function Members(props: Props): ReactNode {
  const address = useAddress();
  const input = { params: { teamId: useTeamId() }, query: { search: props.asked, limit: MOST } };
  const { data, error } = useApi("GET /v2/teams/:teamId/members", input);
  const things = data?.value.members.map(({ name, username, email }) => ({
    name: name ?? username,
    href: `${address("members")}?search=${encodeURIComponent(email)}`,
    where: email,
  }));
  return <Group {...props} title="Members" icon={Users} things={things} error={error} />;
}

function Keys(props: Props): ReactNode {
  const address = useAddress();
  const { data, error } = useApi("GET /v1/api-keys", { query: { teamId: useTeamId(), limit: READ } });
  const things = data?.value.apiKeys
    .filter(({ name }) => fits(name, props.asked))
    .map(({ id, name, role }) => ({ name, href: `${address("keys")}#${id}`, where: role }));
  return <Group {...props} title="API keys" icon={Terminal} things={things} error={error} />;
}

/** What can be done with what was typed. */
function Actions(props: Props): ReactNode {
  const { asked } = props;
  const address = useAddress();
  const [mayWrite, mayInvite, mayRead] = [useMay("secret:write"), useMay("member:manage"), useMay("event:read")];
  const fill = (page: keyof typeof ADDRESSES, name: string) => `${address(page)}?${name}=${encodeURIComponent(asked)}`;
  const actions = [
    asked.includes("@")
      ? mayInvite && { icon: UserPlus, title: `Invite “${asked}”`, href: fill("members", "invite") }
      : mayWrite && { icon: Plus, title: `New secret named “${asked}”`, href: fill("secrets", "new") },
    // Events are found by the id of what they are about.
    mayRead && ID.test(asked) && { icon: History, title: `Find events about ${asked}`, href: fill("events", "entity") },
  ].filter((action) => typeof action === "object" && action !== null);
  if (actions.length === 0) return null;
  return (
    <section aria-label="Actions">
      <h3>Actions</h3>
      <ul>
        {actions.map(({ icon: Icon, title, href }) => (
          <li key={href}>
            <Link href={href} onClick={props.onGo}>
              <Icon className="i" />
              <span className="grow">{title}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Things({ areActionsAlone, ...props }: Props & { readonly areActionsAlone: boolean }): ReactNode {
  const [seesSecrets, seesEntries] = [useMay("secret:read"), useMay("environment:read")];
  const [seesFirewall, seesWebhooks, seesKeys] = [
    useMay("firewall:read"),
    useMay("webhook:read"),
    useMay("api-key:read"),
  ];
  return (
    <>
      {!areActionsAlone && (
        <>
          {seesSecrets && <Secrets {...props} />}
          {seesEntries && <Entries {...props} />}
          {seesFirewall && <Rules {...props} />}
          {seesFirewall && <Projects {...props} />}
          {seesWebhooks && <Webhooks {...props} />}
          <Members {...props} />
          {seesKeys && <Keys {...props} />}
        </>
      )}
      <Actions {...props} />
    </>
  );
}
