// The invitations of a team that wait for somebody: by mail, and links that people hand on.
import { useState } from "react";
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useApiPages, useChange } from "../../api/queries.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { TEXTS, fill } from "../../texts.ts";
import { CreateLink } from "./create-link.tsx";
import { NewLink } from "./new-link.tsx";

const T = TEXTS.invitations;

type Invite = Output<"GET /v1/teams/:teamId/invites">["invites"][number];

interface ActionProps {
  readonly invite: Invite;
  readonly name: string;
  readonly onClose: () => void;
}

function Renew({ invite, name, onClose }: ActionProps): ReactNode {
  const renew = useChange("POST /v1/teams/:teamId/invites/:inviteId/resend");
  const teamId = useTeamId();
  const act = (): void => renew.mutate({ params: { teamId, inviteId: invite.id } });
  return (
    <Dialog title={fill(T.renewTitle, { name })} onClose={onClose}>
      {renew.data ? (
        <NewLink created={renew.data} />
      ) : (
        <>
          <p>{T.renewWhat}</p>
          {renew.error && <Refusal error={renew.error} retry={act} />}
          <footer>
            <Button busy={renew.isPending} onClick={act}>
              {T.renew}
            </Button>
          </footer>
        </>
      )}
    </Dialog>
  );
}

function Revoke({ invite, name, onClose }: ActionProps): ReactNode {
  const revoke = useChange("DELETE /v1/teams/:teamId/invites/:inviteCode", onClose);
  const teamId = useTeamId();
  return (
    <Confirm
      title={fill(T.revokeTitle, { name })}
      what={T.revokeWhat}
      label={T.revoke}
      change={revoke}
      onConfirm={() => revoke.mutate({ params: { teamId, inviteCode: invite.id } })}
      onClose={onClose}
    />
  );
}

function InviteRow({ invite, why }: { readonly invite: Invite; readonly why: string | null }): ReactNode {
  const { email, expiresAt, maxUses, role, status, suffix, uses } = invite;
  const [open, setOpen] = useState<"renew" | "revoke" | null>(null);
  const name = email ?? fill(T.link, { suffix });
  const close = (): void => setOpen(null);
  return (
    <tr>
      <th scope="row">
        <strong>{name}</strong>
        {status === "expired" && <span className="badge warn">{T.expired}</span>}
        <span className="quiet">{fill(maxUses === null ? T.used : T.usedOf, { uses, most: maxUses ?? 0 })}</span>
      </th>
      <td>{role}</td>
      <td>
        <Time at={expiresAt} />
      </td>
      <td className="actions">
        <Button kind="plain" disabledBecause={why} onClick={() => setOpen("renew")}>
          {T.renew}
        </Button>
        <Button kind="danger" disabledBecause={why} onClick={() => setOpen("revoke")}>
          {T.revoke}
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
    <ApiList list={list} isEmpty={invites.length === 0 && !list.hasNextPage} empty={<p className="quiet">{T.empty}</p>}>
      <Table columns={[T.invitation, TEXTS.members.role, T.ends]} actions={TEXTS.list.actions}>
        {invites.map((invite) => (
          <InviteRow key={invite.id} invite={invite} why={why} />
        ))}
      </Table>
    </ApiList>
  );
}

export function Invitations(): ReactNode {
  const [isCreating, setCreating] = useState(false);
  const why = useMay("invite:manage") === false ? TEXTS.members.needsOwner : null;
  // Others would only read that they may not.
  if (useMay("invite:read") !== true) return null;
  return (
    <section>
      <h2 className="above">{T.title}</h2>
      <div className="tools">
        <Button kind="plain" disabledBecause={why} onClick={() => setCreating(true)}>
          {T.create}
        </Button>
      </div>
      <List why={why} />
      {isCreating && <CreateLink onClose={() => setCreating(false)} />}
    </section>
  );
}
