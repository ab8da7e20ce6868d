// The invitations of a team that wait for somebody: by mail, and links that people hand on.
import { useState } from "react";
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useApiPages, useChange } from "../../api/queries.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { CreateLink } from "./create-link.tsx";
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

function InviteRow({ invite, why }: { readonly invite: Invite; readonly why: string | null }): ReactNode {
  const { email, expiresAt, maxUses, role, status, suffix, uses } = invite;
  const [open, setOpen] = useState<"renew" | "revoke" | null>(null);
  const name = email ?? `Link that ends in …${suffix}`;
  const close = (): void => setOpen(null);
  return (
    <tr>
      <th scope="row">
        <strong>{name}</strong>
        {status === "expired" && <span className="badge warn">expired</span>}
        <span className="quiet">
          {maxUses === null ? `${uses} have joined with it` : `${uses} of ${maxUses ?? 0} have joined with it`}
        </span>
      </th>
      <td>{role}</td>
      <td>
        <Time at={expiresAt} />
      </td>
      <td className="actions">
        <Button kind="plain" disabledBecause={why} onClick={() => setOpen("renew")}>
          Renew
        </Button>
        <Button kind="danger" disabledBecause={why} onClick={() => setOpen("revoke")}>
          Revoke
        </Button>
        {open === "renew" && <Renew invite={invite} name={name} onClose={close} />}
        {open === "revoke" && <Revoke invite={invite} name={name} onClose={close} />}
      </td>
    </tr>
  );
}

function List({ why }: { readonly why: string | null }): ReactNode {
  const teamId = useTeamId();
  const list = useApiPages("GET /v1/teams/:teamId/invites", { params: { teamId }, query: { limit: 20 } });
  // Those that are used up are of no use to anybody; an account that was invited has one.
  const invites = (list.data?.pages ?? []).flatMap((page) => page.invites).filter(({ status }) => status !== "used_up");
  return (
    <ApiList
      list={list}
      isEmpty={invites.length === 0 && !list.hasNextPage}
      empty={<p className="quiet">No invitation waits for anybody.</p>}
    >
      <Table columns={["Invitation", "Role", "Ends"]} actions="Actions">
        {invites.map((invite) => (
          <InviteRow key={invite.id} invite={invite} why={why} />
        ))}
      </Table>
    </ApiList>
  );
}

export function Invitations(): ReactNode {
  const [isCreating, setCreating] = useState(false);
  const why = useWhyNot("invite:manage");
  // Others would only read that they may not.
  if (useMay("invite:read") !== true) return null;
  return (
    <section>
      <h2 className="above">Invitations</h2>
      <div className="tools">
        <Button kind="plain" disabledBecause={why} onClick={() => setCreating(true)}>
          Create invite link
        </Button>
      </div>
      <List why={why} />
      {isCreating && <CreateLink onClose={() => setCreating(false)} />}
    </section>
  );
}
