// The join link of a team: everyone with an account and the link joins, with the role that is chosen here.
import { RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import { ROLE_PERMISSIONS } from "../../../src/platform/kernel/roles.ts";
import type { TeamRole } from "../../../src/platform/kernel/roles.ts";
import type { Team } from "../../api/objects.ts";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { ROLE_NAMES } from "../../parts/choices.ts";
import type { Choice } from "../../parts/choices.ts";
import { Copyable } from "../../parts/copy.tsx";
import { Field } from "../../parts/field.tsx";
import { LeftOut, Refusal } from "../../parts/proof.tsx";
import { QrCode } from "../../parts/qr/qr-code.tsx";
import { Select } from "../../parts/select.tsx";

/** For Owners there are invitations, which end. */
const ROLES = ROLE_NAMES.filter((one): one is Choice<Exclude<TeamRole, "OWNER">> => one[0] !== "OWNER");

function linkOf(code: string): string {
  return new URL(`invitation?code=${encodeURIComponent(code)}`, document.baseURI).href;
}

interface Props {
  readonly team: Team;
  readonly why: string | null;
  readonly onProved: () => void;
}

export function JoinLink({ team, why, onProved }: Props): ReactNode {
  const update = useChange("PATCH /v2/teams/:teamId");
  const { id: teamId, inviteCode, inviteCodeEnabled, inviteCodeRole } = team;
  const isReader = team.membership !== undefined && ROLE_PERMISSIONS[team.membership.role].includes("invite:manage");
  const change = (body: Parameters<typeof update.mutate>[0]["body"]): void =>
    update.mutate({ params: { teamId }, body });
  return (
    <section className="panel">
      <header>
        <h2>Join link</h2>
        <label className="check">
          <input
            type="checkbox"
            className="switch"
            aria-label="People can join by link"
            checked={inviteCodeEnabled}
            disabled={update.isPending}
            aria-disabled={why !== null}
            aria-description={why ?? undefined}
            onChange={() => why === null && change({ inviteCodeEnabled: !inviteCodeEnabled })}
          />
          {inviteCodeEnabled ? "On" : "Off"}
        </label>
      </header>
      <p>
        Everyone with an account and this link can join. The link changes by itself when a member who could see it
        leaves.
      </p>
      {update.error && <Refusal error={update.error} retry={() => update.mutate(update.variables)} />}
      {inviteCodeEnabled && isReader && inviteCode === undefined && !update.error && <LeftOut retry={onProved} />}
      {inviteCodeEnabled && inviteCode !== undefined && (
        <>
          <Copyable label="Join link" text={linkOf(inviteCode)} />
          <QrCode label="Join link" text={linkOf(inviteCode)} />
        </>
      )}
      <div className="in-line">
        <Field label="They join as">
          {(control) => (
            <Select
              {...control}
              choices={ROLES}
              value={inviteCodeRole ?? "MEMBER"}
              whyNot={why}
              busy={update.isPending}
              onChange={(role) => change({ inviteCodeRole: role })}
            />
          )}
        </Field>
        <Button
          kind="ghost"
          disabledBecause={why}
          busy={update.isPending}
          onClick={() => change({ regenerateInviteCode: true })}
        >
          <RefreshCw className="i" />
          New link
        </Button>
      </div>
    </section>
  );
}
