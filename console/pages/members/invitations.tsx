// The invitations of a team that wait for somebody: by mail, and links that people hand on.
import { Ban, Link as LinkIcon, Mail, RefreshCw } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { roleName } from "../../../src/platform/kernel/roles.ts";
import type { Output } from "../../api/endpoints.ts";
import { useApiPages, useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { ShowMore } from "../../parts/api-list.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { RowName } from "../../parts/row-name.tsx";
import { DataTable } from "../../parts/table.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { onSubmit } from "../../parts/form.tsx";
import { NewLink } from "./new-link.tsx";

type Invite = Output<"GET /v1/teams/:teamId/invites">["invites"][number];

interface ActionProps {
  readonly invite: Invite;
  readonly name: string;
  readonly onClose: () => void;
}

function Renew({ invite, name, onClose }: ActionProps): ReactNode {
  const renew = useChange("POST /v1/teams/:teamId/invites/:inviteId/resend");
  const teamId = useTeamId();
  return (
    <FormDialog
      title={`Renew ${name}?`}
      label="Renew"
      change={renew}
      about={
        <p>
          It gets another link and seven more days; the present link no longer works. An address gets a mail where mail
          is set up.
        </p>
      }
      done={renew.data && <NewLink created={renew.data} />}
      onSubmit={onSubmit(() => renew.mutate({ params: { teamId, inviteId: invite.id } }))}
      onClose={onClose}
    />
  );
}

function Revoke({ invite, name, onClose }: ActionProps): ReactNode {
  const revoke = useChange("DELETE /v1/teams/:teamId/invites/:inviteCode", onClose);
  const teamId = useTeamId();
  return (
    <Confirm
      title={`Revoke ${name}?`}
      what="Its link no longer works. Those who have joined with it stay."
      label="Revoke"
      change={revoke}
      onConfirm={() => revoke.mutate({ params: { teamId, inviteCode: invite.id } })}
      onClose={onClose}
    />
  );
}

function nameOf({ email, suffix }: Invite): string {
  return email ?? `Link ending in …${suffix}`;
}

const COLUMNS: readonly Column<Invite>[] = [
  {
    title: "For",
    cell: (invite) => (
      <RowName
        picture={
          <span className="avatar" aria-hidden="true">
            {invite.email ? <Mail className="i i-s" /> : <LinkIcon className="i i-s" />}
          </span>
        }
      >
        <strong>{nameOf(invite)}</strong>
        {invite.status === "expired" && <span className="badge warn">Expired</span>}
      </RowName>
    ),
  },
  { title: "Role", cell: ({ role }) => roleName(role) },
  {
    title: "Used",
    cell: ({ uses, maxUses }) => (maxUses === null ? uses : `${uses} of ${maxUses ?? 0}`),
    leaves: "narrow",
  },
  { title: "Ends", cell: ({ expiresAt }) => <Time at={expiresAt} />, leaves: "phone" },
];

const DIALOGS = { renew: Renew, revoke: Revoke };

export function Invitations({ why }: { readonly why: string | null }): ReactNode {
  const teamId = useTeamId();
  const [open, setOpen] = useState<{ readonly act: keyof typeof DIALOGS; readonly invite: Invite } | null>(null);
  const list = useApiPages("GET /v1/teams/:teamId/invites", { params: { teamId }, query: { limit: 20 } });
  // Those that are used up are of no use to anybody; an account that was invited has one.
  const invites = (list.data?.pages ?? []).flatMap((page) => page.invites).filter(({ status }) => status !== "used_up");
  const Opened = open && DIALOGS[open.act];
  return (
    <section>
      <h2 className="above">Invitations</h2>
      <DataTable
        label="Invitations"
        list={list}
        rows={invites}
        keyOf={({ id }) => id}
        nameOf={nameOf}
        columns={COLUMNS}
        actions={(invite) => [
          { label: "Renew", icon: RefreshCw, whyNot: why, onSelect: () => setOpen({ act: "renew", invite }) },
          "line",
          {
            label: "Revoke",
            icon: Ban,
            isDanger: true,
            whyNot: why,
            onSelect: () => setOpen({ act: "revoke", invite }),
          },
        ]}
        empty={list.hasNextPage ? <ShowMore list={list} /> : <p className="quiet">No invitation waits for anybody.</p>}
      />
      {open && Opened && <Opened invite={open.invite} name={nameOf(open.invite)} onClose={() => setOpen(null)} />}
    </section>
  );
}
