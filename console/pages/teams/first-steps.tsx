// What a new team does first, until most of it is done or the list is hidden in this browser.
import { Check } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import { useApi } from "../../api/queries.ts";
import { useTeam, useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Copyable } from "../../parts/copy.tsx";
import type { PageName } from "../../routes.ts";

interface Step {
  readonly name: string;
  readonly about: string;
  readonly action: string;
  readonly page: PageName;
  readonly isDone: boolean;
}

/** A team that has done so many is at work. */
const ENOUGH = 3;

/** Null while it is not known. */
function useSteps(): readonly Step[] | null {
  const teamId = useTeamId();
  const members = useApi("GET /v2/teams/:teamId/members", { params: { teamId }, query: { limit: 2 } }).data?.value;
  const secrets = useApi("GET /v2/secrets", { query: { teamId, limit: 1 } }).data?.value;
  // As the rest of the page reads them.
  const projects = useApi("GET /v9/projects", { query: { teamId, limit: 100 } }).data?.value;
  const webhooks = useApi("GET /v1/webhooks", { query: { teamId, withHealth: true } }).data?.value;
  if (!members || !secrets || !projects || !webhooks) return null;
  return [
    {
      name: "Invite people",
      about: "Each gets a role. Start with a second Owner, so that the team is never locked out.",
      action: "Invite",
      page: "members",
      isDone: members.members.length > 1,
    },
    {
      name: "Store your first secret",
      about: "Paste a .env file: secrets are made from it in one change.",
      action: "Import .env",
      page: "secretsText",
      isDone: secrets.secrets.length > 0,
    },
    {
      name: "Protect an application",
      about: "Create a project, write its rules, and run a gate in front of it.",
      action: "Create project",
      page: "projects",
      isDone: projects.projects.length > 0,
    },
    {
      name: "Send events somewhere",
      about: "A webhook tells a program of yours what happens here.",
      action: "Add webhook",
      page: "webhooks",
      isDone: webhooks.length > 0,
    },
  ];
}

function OneStep({ step, isNext }: { readonly step: Step; readonly isNext: boolean }): ReactNode {
  const teamId = useTeamId();
  return (
    <li className={step.isDone ? "done" : undefined}>
      <span className="ring">{step.isDone && <Check className="i i-s" />}</span>
      <span className="grow">
        <strong>{step.name}</strong>
        {step.isDone && <span className="hidden"> (done)</span>}
        <span className="small">{step.about}</span>
      </span>
      {!step.isDone && (
        <span className="tools">
          <Link className={isNext ? "button" : "button plain"} href={ADDRESSES[step.page].replace(":team", teamId)}>
            {step.action}
          </Link>
        </span>
      )}
    </li>
  );
}

export function FirstSteps(): ReactNode {
  const team = useTeam().data?.value;
  const key = `reeve first steps ${team?.id ?? ""}`;
  const [isHidden, setHidden] = useState(() => localStorage.getItem(key) !== null);
  const steps = useSteps();
  const done = steps?.filter(({ isDone }) => isDone).length ?? ENOUGH;
  if (!team || !steps || isHidden || done >= ENOUGH) return null;
  const next = steps.find(({ isDone }) => !isDone);
  const hide = (): void => {
    localStorage.setItem(key, "hidden");
    setHidden(true);
  };
  return (
    <section className="panel">
      <header>
        <h2>
          Set up {team.name ?? team.slug}{" "}
          <span className="small">
            {done} of {steps.length} done
          </span>
        </h2>
        <Button kind="ghost" onClick={hide}>
          Hide
        </Button>
      </header>
      <ul className="rows steps">
        {steps.map((step) => (
          <OneStep key={step.name} step={step} isNext={step === next} />
        ))}
      </ul>
      <footer>
        <span>From a terminal: signs in through this browser.</span>
        <Copyable label="Command" text={`reeve login --server ${new URL(".", document.baseURI).origin}`} />
      </footer>
    </section>
  );
}
