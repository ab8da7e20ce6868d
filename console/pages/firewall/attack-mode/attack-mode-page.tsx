// Attack mode of a project: whether it is on, what is left of it, what it does, and the other projects of the team.
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import { useApi, useChange } from "../../../api/queries.ts";
import { useTeamId } from "../../../api/team.ts";
import type { Output } from "../../../api/endpoints.ts";
import { Button } from "../../../parts/button.tsx";
import { Skeleton } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { Time } from "../../../parts/time.tsx";
import { useWhyNot } from "../../../parts/why-not.ts";
import { projectHref, useProject } from "../../../parts/project.tsx";
import { AutomaticPanel } from "./automatic.tsx";
import { Countdown } from "./countdown.tsx";
import { ProjectStates } from "./project-states.tsx";
import { ChangeRefusal, Consequences, SwitchOn } from "./switch-on.tsx";

type Mode = Output<"GET /v1/attack-challenge-mode">;

function TimesOf({ mode, onEnd }: { readonly mode: Mode; readonly onEnd: () => void }): ReactNode {
  const { attackModeEnabled: isOn, attackModeActiveUntil: until, attackModeUpdatedAt: updated } = mode;
  return (
    <dl>
      {isOn && (
        <>
          <dt>Time left</dt>
          <dd>
            {until === null ? (
              "It stays on until it is switched off."
            ) : (
              <Countdown key={until} until={until} onEnd={onEnd} />
            )}
          </dd>
        </>
      )}
      {until !== null && (
        <>
          <dt>Ends</dt>
          <dd>
            <Time at={until} />
          </dd>
        </>
      )}
      <dt>Last changed</dt>
      <dd>{updated === null ? "never" : <Time at={updated} />}</dd>
    </dl>
  );
}

interface SwitchProps {
  readonly isOn: boolean;
  readonly etag: string | null;
}

function Switches({ isOn, etag }: SwitchProps): ReactNode {
  const teamId = useTeamId();
  const [projectId] = useProject();
  const [isOpen, setOpen] = useState(false);
  const why = useWhyNot("firewall:write");
  const off = useChange("POST /v1/attack-challenge-mode");
  const switchOff = (): void =>
    off.mutate({
      query: { teamId, projectId },
      body: { attackModeEnabled: false },
      ...(etag !== null && { ifMatch: etag }),
    });
  return (
    <>
      {off.error && <ChangeRefusal error={off.error} retry={switchOff} />}
      <div className="tools">
        {isOn ? (
          <>
            <Button disabledBecause={why} busy={off.isPending} onClick={switchOff}>
              Switch off
            </Button>
            <Button kind="plain" disabledBecause={why} onClick={() => setOpen(true)}>
              Change the end
            </Button>
          </>
        ) : (
          <Button kind="danger" disabledBecause={why} onClick={() => setOpen(true)}>
            Switch on
          </Button>
        )}
      </div>
      {isOpen && <SwitchOn isOn={isOn} etag={etag} onClose={() => setOpen(false)} />}
    </>
  );
}

function ModePanel(): ReactNode {
  const teamId = useTeamId();
  const [projectId] = useProject();
  const found = useApi("GET /v1/attack-challenge-mode", { query: { teamId, projectId } });
  if (!found.data) {
    return found.error ? <Problem error={found.error} retry={() => void found.refetch()} /> : <Skeleton rows={3} />;
  }
  const { value, etag } = found.data;
  const isOn = value.attackModeEnabled;
  return (
    <section className="panel">
      <h2>
        {isOn ? "Every request is challenged" : "Requests are decided by the rules alone"}
        <span className={isOn ? "badge warn" : "badge"}>{isOn ? "on" : "off"}</span>
      </h2>
      {found.error && <Problem error={found.error} retry={() => void found.refetch()} />}
      <TimesOf mode={value} onEnd={() => void found.refetch()} />
      <Switches key={projectId} isOn={isOn} etag={etag} />
      <Consequences />
      <Link href={projectHref(ADDRESSES.firewallBypasses, teamId, projectId)}>Bypasses</Link>
    </section>
  );
}

export function AttackModePage(): ReactNode {
  return (
    <>
      <ModePanel />
      <AutomaticPanel />
      <ProjectStates />
    </>
  );
}
