// The browsers in which the user is signed in.
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useApiPages, useChange } from "../../api/queries.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/placeholder.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";

const METHODS = {
  password: "password",
  passkey: "passkey",
  provider: "provider",
  link: "link",
  "recovery-code": "recovery code",
};
type Session = Output<"GET /v1/sessions">["sessions"][number];

function SessionRow({ session }: { readonly session: Session }): ReactNode {
  const end = useChange("DELETE /v1/sessions/:sessionId");
  const { id, device, ip, isCurrent, method, activeAt, createdAt } = session;
  const act = (): void => end.mutate({ params: { sessionId: id } });
  return (
    <tr>
      <th scope="row">
        <strong>{device}</strong>
        {isCurrent && <span className="badge good">this browser</span>}
        <span className="quiet">
          <code>{ip}</code>
        </span>
      </th>
      <td>{METHODS[method]}</td>
      <td>
        <Time at={activeAt} />
      </td>
      <td>
        <Time at={createdAt} />
      </td>
      <td className="actions">
        {!isCurrent && (
          <Button kind="danger" busy={end.isPending} onClick={act}>
            End
          </Button>
        )}
        {end.error && <Refusal error={end.error} retry={act} />}
      </td>
    </tr>
  );
}

export function SessionsPage(): ReactNode {
  const list = useApiPages("GET /v1/sessions", { query: { limit: 50 } });
  const endOthers = useChange("DELETE /v1/sessions");
  const sessions = list.data?.pages.flatMap((page) => page.sessions) ?? [];
  const isAlone = list.data !== undefined && sessions.length < 2;
  const act = (): void => endOthers.mutate({ query: { keepCurrent: true } });
  return (
    <>
      <p>Sessions. A session ends 12 hours after its last use, and after 7 days at the latest.</p>
      <div className="tools">
        <Button
          kind="danger"
          busy={endOthers.isPending}
          disabledBecause={isAlone ? "There is no other session" : null}
          onClick={act}
        >
          End the other sessions
        </Button>
      </div>
      {endOthers.error && <Refusal error={endOthers.error} retry={act} />}
      <ApiList
        list={list}
        isEmpty={sessions.length === 0}
        empty={<Empty title="You are signed in nowhere" hint="Sign in again." />}
      >
        <Table columns={["Browser", "Signed in with", "Last used", "Since"]} actions="Actions">
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </Table>
      </ApiList>
    </>
  );
}
