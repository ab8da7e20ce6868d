// What an entry says, without what is secret: a plain value, or the name of a secret.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useTeamId } from "../../api/team.ts";
import { TEXTS, fill } from "../../texts.ts";
import type { Entry } from "./project-environments.ts";

const T = TEXTS.environments;

export function EntryValue({ entry }: { readonly entry: Entry | undefined }): ReactNode {
  const teamId = useTeamId();
  if (!entry) {
    return (
      <span className="quiet">
        <span aria-hidden="true">–</span>
        <span className="hidden">{T.missing}</span>
      </span>
    );
  }
  const { secret, value, isInherited, from, comment } = entry;
  const name = secret?.name;
  return (
    <div className={isInherited ? "entry quiet" : "entry"}>
      {secret === undefined ? (
        <code>{value}</code>
      ) : (
        <>
          {T.secret}{" "}
          {name ? (
            <Link href={`/teams/${teamId}/secrets/${encodeURIComponent(name)}`}>
              <code>{name}</code>
            </Link>
          ) : (
            secret.uid
          )}
          {secret.state !== "ready" && <span className="badge warn">{T.states[secret.state]}</span>}
        </>
      )}
      {isInherited && <div>{fill(T.inherited, { from })}</div>}
      {comment !== null && <div className="quiet">{comment}</div>}
    </div>
  );
}
