// Invites people by address, and shows the links where nobody sends mail.
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import type { TeamRole } from "../../../src/platform/kernel/roles.ts";
import type { Output } from "../../api/endpoints.ts";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Copyable } from "../../parts/copy.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit } from "../../parts/form.tsx";
import { QrCode } from "../../parts/qr/qr-code.tsx";
import { SENT } from "./new-link.tsx";
import { ROLE_NAMES } from "../../parts/choices.ts";
import { Select } from "../../parts/select.tsx";

const ACCOUNT_ID = /^[A-Za-z0-9]{24}$/;

type Invited = NonNullable<Output<"POST /v1/teams/:teamId/members">["invited"]>;

function Links({ invited }: { readonly invited: Invited }): ReactNode {
  const withLinks = invited.filter(({ code }) => code !== undefined);
  if (withLinks.length === 0) return <output>{SENT}</output>;
  return (
    <div aria-live="polite">
      <p>Nobody sends mail here: hand each link over yourself. It is shown only now.</p>
      {withLinks.map(({ uid, username, inviteUrl, code = "" }) => (
        <Field key={uid} label={username}>
          {() => (
            <>
              <Copyable label={username} text={inviteUrl ?? code} />
              {inviteUrl !== undefined && <QrCode label={username} text={inviteUrl} />}
            </>
          )}
        </Field>
      ))}
    </div>
  );
}

function namesIn(text: string): readonly string[] {
  return text.split(/[\s,;]+/).filter(Boolean);
}

/** What is wrong with one of those that were typed, which the API names by its place. */
function problemOf(error: Error, sent: unknown): string | null {
  const [, at = "", what = ""] = /^body\[(\d+)\]\.\w+: (.*)$/s.exec(error.message) ?? [];
  const one = Array.isArray(sent)
    ? (sent[Number(at)] as { readonly email?: string; readonly uid?: string })
    : undefined;
  return what === "" || !one ? null : `${one.email ?? one.uid}: ${what}`;
}

interface Props {
  /** The address to begin with; empty: none. */
  readonly to: string;
  readonly onClose: () => void;
}

export function InviteDialog({ to, onClose }: Props): ReactNode {
  const teamId = useTeamId();
  const [invited, setInvited] = useState<Invited | null>(null);
  const invite = useChange("POST /v1/teams/:teamId/members", (result) => setInvited(result.invited ?? [result]));
  const submit = onSubmit((field) => {
    const emails = namesIn(field("emails"));
    const role = field("role") as TeamRole;
    invite.mutate({
      params: { teamId },
      body: emails.map((one) => (ACCOUNT_ID.test(one) ? { uid: one, role } : { email: one, role })),
    });
  });
  const problem = invite.error && problemOf(invite.error, invite.variables?.body);
  return (
    <FormDialog
      title="Invite people"
      label="Invite"
      change={problem === null ? invite : { ...invite, error: null }}
      about={
        <p>
          By e-mail address. Somebody who has no account yet makes one with the link.{" "}
          <Link href={ADDRESSES.settings.replace(":team", encodeURIComponent(teamId))}>
            Or share a link with which anybody who has an account joins.
          </Link>
        </p>
      }
      done={invited && <Links invited={invited} />}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="E-mail addresses"
        hint="One on each line, at most 50. The id of an account works, too."
        problem={problem}
      >
        {(control) => <textarea {...control} name="emails" defaultValue={to} rows={3} required spellCheck={false} />}
      </Field>
      <Field label="Role" hint="What they may do in the team.">
        {(control) => <Select {...control} name="role" choices={ROLE_NAMES} defaultValue="MEMBER" />}
      </Field>
    </FormDialog>
  );
}
