// What an entry says, without what is secret: a plain value, or the name of a secret.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useTeamId } from "../../api/team.ts";
import type { Entry } from "./project-environments.ts";

const STATE_WORDS = {
  ready: "ready",
  new: "new",
  deleted: "deleted",
  missing: "destroyed",
  not_decryptable: "cannot be revealed",
  expired: "has ended",
};

export function Missing(): ReactNode {
  return (
    <span className="quiet">
      <span aria-hidden="true">–</span>
      <span className="hidden">not there</span>
    </span>
  );
}

export function PlainValue({ text }: { readonly text: string }): ReactNode {
  return text === "" ? <em className="quiet">empty</em> : <code className="lines">{text}</code>;
}

function SecretName({ secret }: { readonly secret: NonNullable<Entry["secret"]> }): ReactNode {
  const teamId = useTeamId();
  const { name, uid, state } = secret;
  return (
    <>
      secret{" "}
      {name ? (
        <Link href={`/teams/${teamId}/secrets/${encodeURIComponent(name)}`}>
          <code>{name}</code>
        </Link>
      ) : (
        uid
      )}
      {state !== "ready" && <span className="badge warn">{STATE_WORDS[state]}</span>}
    </>
  );
}

/** Where an entry is from, unless it is the environment's own, and its comment. */
function About({ entry: { isInherited, from, comment } }: { readonly entry: Entry }): ReactNode {
  return (
    <>
      {isInherited && <div className="quiet">from {from}</div>}
      {comment !== null && <div className="quiet">{comment}</div>}
    </>
  );
}

/** How an entry is stored. */
export function StoredAs({ entry }: { readonly entry: Entry }): ReactNode {
  return (
    <div className="stored">
      {entry.secret ? <SecretName secret={entry.secret} /> : "plain value"}
      {entry.isSensitive && <span className="badge">sensitive</span>}
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
