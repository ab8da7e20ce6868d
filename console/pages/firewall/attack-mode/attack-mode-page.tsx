// Attack mode of a project: whether it is on, what is left of it, what it does, and the other projects of the team.
import { Activity, PowerOff, ShieldQuestionMark, Timer } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import { useApi, useChange } from "../../../api/queries.ts";
import type { Output } from "../../../api/endpoints.ts";
import { Button } from "../../../parts/button.tsx";
import { Picks } from "../../../parts/picks.tsx";
import { PageBadges } from "../../../parts/page-title.tsx";
import { Skeleton } from "../../../parts/placeholder.tsx";
import { Settled } from "../../../parts/settled.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { Time } from "../../../parts/time.tsx";
import { useWhyNot } from "../../../parts/why-not.ts";
import { projectHref } from "../../../parts/project.tsx";
import { useFirewallQuery } from "../firewall-config.ts";
import { AutomaticPanel, useAutomatic } from "./automatic.tsx";
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
      {updated !== null && (
        <>
          <dt>Last changed</dt>
          <dd>
            <Time at={updated} />
          </dd>
        </>
      )}
    </dl>
  );
}

function Modes({ isOn, etag }: { readonly isOn: boolean; readonly etag: string | null }): ReactNode {
  const query = useFirewallQuery();
  const [isOpen, setOpen] = useState(false);
  const why = useWhyNot("firewall:write");
  const automatic = useAutomatic().data;
  const off = useChange("POST /v1/attack-challenge-mode");
  const follow = useChange("PATCH /v1/attack-challenge-mode/automatic");
  const { enabled = false, isOn: isItself = false } = automatic?.value ?? {};
  const isChanging = off.isPending || follow.isPending;
  const switchOff = (): void =>
    off.mutate({ query, body: { attackModeEnabled: false }, ...(etag !== null && { ifMatch: etag }) });
  const setAutomatic = (isWanted: boolean, onSuccess = (): void => {}): void =>
    follow.mutate(
      { query, body: { enabled: isWanted }, ...(automatic?.etag && { ifMatch: automatic.etag }) },
      { onSuccess },
    );
  const allOff = (): void => {
    if (enabled) setAutomatic(false, isOn ? switchOff : undefined);
    else if (isOn) switchOff();
  };
  return (
    <>
      <Picks
        label="Mode"
        whyNot={why}
        busy={isChanging}
        picks={[
          {
            label: "Off",
            about: "Rules alone decide",
            icon: PowerOff,
            isOn: !isOn && !enabled,
            onPick: allOff,
          },
          {
            label: "On until",
            about: "Every client is challenged",
            icon: Timer,
            isOn: isOn && !isItself,
            onPick: () => setOpen(true),
          },
          {
            label: "Automatic",
            about: "On while traffic is unusual",
            icon: Activity,
            isOn: enabled,
            // The others work without it, in an attack above all.
            busy: isChanging || automatic === undefined,
            onPick: () => setAutomatic(!enabled),
          },
        ]}
      />
      {follow.error && (
        <ChangeRefusal error={follow.error} retry={() => follow.variables && follow.mutate(follow.variables)} />
      )}
      {off.error && <ChangeRefusal error={off.error} retry={switchOff} />}
      {isOn && (
        <div className="tools">
          <Button kind="plain" disabledBecause={why} busy={off.isPending} onClick={switchOff}>
            Switch off
          </Button>
        </div>
      )}
      {isOpen && <SwitchOn isOn={isOn} etag={etag} onClose={() => setOpen(false)} />}
    </>
  );
}

function ModePanel(): ReactNode {
  const query = useFirewallQuery();
  const found = useApi("GET /v1/attack-challenge-mode", { query });
  if (!found.data) {
    return found.error ? <Problem error={found.error} retry={() => void found.refetch()} /> : <Skeleton rows={3} />;
  }
  const { value, etag } = found.data;
  const isOn = value.attackModeEnabled;
  return (
    <section className="panel">
      <h2>{isOn ? "Every request is challenged" : "Requests are decided by the rules alone"}</h2>
      <PageBadges>
        <span className={isOn ? "badge on-challenge" : "badge"}>
          {isOn ? <ShieldQuestionMark className="i i-s" /> : <PowerOff className="i i-s" />}
          {isOn ? "On" : "Off now"}
        </span>
      </PageBadges>
      {found.error && <Problem error={found.error} retry={() => void found.refetch()} />}
      <TimesOf mode={value} onEnd={() => void found.refetch()} />
      <Modes key={query.projectId} isOn={isOn} etag={etag} />
    </section>
  );
}

export function AttackModePage(): ReactNode {
  const { teamId, projectId } = useFirewallQuery();
  return (
    <div className="beside">
      <div>
        <ModePanel />
        <AutomaticPanel />
      </div>
      <Settled>
        <aside aria-label="What it does, and where">
          <section className="panel">
            <h2>While it is on</h2>
            <Consequences />
            <footer>
              <Link href={projectHref(ADDRESSES.firewallBypasses, teamId, projectId)}>Bypasses</Link>
            </footer>
          </section>
          <ProjectStates />
        </aside>
      </Settled>
    </div>
  );
}
