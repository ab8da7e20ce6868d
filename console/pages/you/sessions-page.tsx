// The browsers in which the user is signed in.
import { LogOut } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import type { Output } from "../../api/endpoints.ts";
import { useApiPages, useChange } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/placeholder.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { PageActions } from "../../parts/page-title.tsx";
import { RowName } from "../../parts/row-name.tsx";
import { DataTable } from "../../parts/table.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";

const METHODS = {
  password: "password",
  passkey: "passkey",
  provider: "provider",
  link: "link",
  "recovery-code": "recovery code",
};
type Session = Output<"GET /v1/sessions">["sessions"][number];

const COLUMNS: readonly Column<Session>[] = [
  {
    title: "Browser",
    cell: ({ device, ip, isCurrent }) => (
      <RowName>
        <strong>{device}</strong>
        {isCurrent && <span className="badge good">This browser</span>}
        <code className="quiet">{ip}</code>
      </RowName>
    ),
  },
  { title: "Signed in with", cell: ({ method }) => METHODS[method], leaves: "narrow" },
  { title: "Last used", cell: ({ activeAt }) => <Time at={activeAt} /> },
  { title: "Since", cell: ({ createdAt }) => <Time at={createdAt} />, leaves: "narrow" },
];

export function SessionsPage(): ReactNode {
  const list = useApiPages("GET /v1/sessions", { query: { limit: 50 } });
  const end = useChange("DELETE /v1/sessions/:sessionId");
  const endOthers = useChange("DELETE /v1/sessions");
  const sessions = list.data?.pages.flatMap((page) => page.sessions) ?? [];
  const isAlone = list.data !== undefined && sessions.length < 2;
  const act = (): void => endOthers.mutate({ query: { keepCurrent: true } });
  return (
    <>
      <PageActions>
        <Button
          kind="plain"
          busy={endOthers.isPending}
          disabledBecause={isAlone ? "There is no other session" : null}
          onClick={act}
        >
          Sign out the others
        </Button>
      </PageActions>
      {endOthers.error && <Refusal error={endOthers.error} retry={act} />}
      {end.error && <Refusal error={end.error} retry={() => end.variables && end.mutate(end.variables)} />}
      <DataTable
        label="Sessions"
        list={list}
        rows={sessions}
        keyOf={({ id }) => id}
        nameOf={({ device }) => device}
        columns={COLUMNS}
        actions={({ id, isCurrent }) =>
          isCurrent
            ? []
            : [{ label: "Sign out", icon: LogOut, onSelect: () => end.mutate({ params: { sessionId: id } }) }]
        }
        empty={<Empty title="You are signed in nowhere" hint="Sign in again." />}
      />
      <p className="hint">A session ends 12 hours after its last use, and after 7 days at the latest.</p>
      <p className="notice">
        Do you not know one? Sign it out, then <Link href={ADDRESSES.signInMethods}>change your password</Link>.
      </p>
    </>
  );
}
