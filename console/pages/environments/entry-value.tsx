// What an entry says, without what is secret: a plain value, or the name of a secret.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useTeamId } from "../../api/team.ts";
import { TEXTS, fill } from "../../texts.ts";
import type { Entry } from "./project-environments.ts";

const T = TEXTS.environments;

export function Missing(): ReactNode {
  return (
    <span className="quiet">
      <span aria-hidden="true">–</span>
      <span className="hidden">{T.missing}</span>
    </span>
  );
}

export function PlainValue({ text }: { readonly text: string }): ReactNode {
  return text === "" ? <em className="quiet">{T.emptyValue}</em> : <code className="lines">{text}</code>;
}

function SecretName({ secret }: { readonly secret: NonNullable<Entry["secret"]> }): ReactNode {
  const teamId = useTeamId();
  const { name, uid, state } = secret;
  return (
    <>
      {T.secret}{" "}
      {name ? (
        <Link href={`/teams/${teamId}/secrets/${encodeURIComponent(name)}`}>
          <code>{name}</code>
        </Link>
      ) : (
        uid
      )}
      {state !== "ready" && <span className="badge warn">{T.states[state]}</span>}
    </>
  );
}

/** Where an entry is from, unless it is the environment's own, and its comment. */
function About({ entry: { isInherited, from, comment } }: { readonly entry: Entry }): ReactNode {
  return (
    <>
      {isInherited && <div className="quiet">{fill(T.inherited, { from })}</div>}
      {comment !== null && <div className="quiet">{comment}</div>}
    </>
  );
}

/** How an entry is stored. */
export function StoredAs({ entry }: { readonly entry: Entry }): ReactNode {
  return (
    <div className="stored">
      {entry.secret ? <SecretName secret={entry.secret} /> : T.plain}
      {entry.isSensitive && <span className="badge">{T.sensitive}</span>}
      <About entry={entry} />
    </div>
  );
}

/** What fits beside other environments: the first lines of a long value. */
export function EntryValue({ entry }: { readonly entry: Entry | undefined }): ReactNode {
  if (!entry) return <Missing />;
  const { value, isInherited } = entry;
  if (value === undefined) return <StoredAs entry={entry} />;
  return (
    <>
      <div className={isInherited ? "short quiet" : "short"}>
        <PlainValue text={value} />
      </div>
      <About entry={entry} />
    </>
  );
}
