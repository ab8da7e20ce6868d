// The browsers in which the user is signed in.
import { Laptop, Smartphone } from "lucide-react";
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useApiPages, useChange } from "../../api/queries.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/placeholder.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { Time } from "../../parts/time.tsx";

const METHODS = {
  password: "password",
  passkey: "passkey",
  provider: "provider",
  link: "link",
  "recovery-code": "recovery code",
};
const PHONES = /Android|iPhone|iPad/;
type Session = Output<"GET /v1/sessions">["sessions"][number];

function SessionRow({
  session: { device, ip, method, isCurrent, activeAt, createdAt },
  busy,
  onEnd,
}: {
  readonly session: Session;
  readonly busy: boolean;
  readonly onEnd: () => void;
}): ReactNode {
  const Icon = PHONES.test(device) ? Smartphone : Laptop;
  return (
    <li>
      <Icon className="i" />
      <span className="grow">
        <strong>{device}</strong>
        {isCurrent && <span className="badge info">This browser</span>}
        <span className="small">
          {ip}, {METHODS[method]}, since <Time at={createdAt} />
          {!isCurrent && (
            <>
              , last used <Time at={activeAt} />
            </>
          )}
        </span>
      </span>
      {!isCurrent && (
        <Button kind="plain" aria-label={`Sign out ${device}`} busy={busy} onClick={onEnd}>
          Sign out
        </Button>
      )}
    </li>
  );
}

export function Sessions(): ReactNode {
  const list = useApiPages("GET /v1/sessions", { query: { limit: 50 } });
  const end = useChange("DELETE /v1/sessions/:sessionId");
  const endOthers = useChange("DELETE /v1/sessions");
  const sessions = list.data?.pages.flatMap((page) => page.sessions) ?? [];
  const isAlone = list.data !== undefined && sessions.length < 2;
  const act = (): void => endOthers.mutate({ query: { keepCurrent: true } });
  return (
    <section className="panel">
      <header>
        <h2>Sessions {sessions.length > 0 && <span className="count plain">{sessions.length}</span>}</h2>
        <Button
          kind="plain"
          busy={endOthers.isPending}
          disabledBecause={isAlone ? "There is no other session" : null}
          onClick={act}
        >
          Sign out the others
        </Button>
      </header>
      {endOthers.error && <Refusal error={endOthers.error} retry={act} />}
      {end.error && <Refusal error={end.error} retry={() => end.variables && end.mutate(end.variables)} />}
      <ApiList
        list={list}
        isEmpty={sessions.length === 0}
        empty={<Empty title="You are signed in nowhere" hint="Sign in again." />}
      >
        <ul className="rows">
          {sessions.map((session) => (
            <SessionRow
              key={session.id}
              session={session}
              busy={end.isPending && end.variables.params.sessionId === session.id}
              onEnd={() => end.mutate({ params: { sessionId: session.id } })}
            />
          ))}
        </ul>
      </ApiList>
      <footer>
        A session ends 12 hours after its last use, and after 7 days at the latest. Sign out those that you do not know,
        then change your password.
      </footer>
    </section>
  );
}
