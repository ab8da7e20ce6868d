// What an entry says, without what is secret: a plain value, or the name of a secret.
import { CircleDashed, CircleX, CornerLeftUp, KeyRound, Lock, Plus } from "lucide-react";
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

const STATE_ICONS = { expired: CircleX, deleted: CircleX, missing: CircleX, not_decryptable: Lock, new: Plus };

/** What fits beside other environments: a secret's name, or the beginning of a value; signs say the rest. */
export function EntryValue({ entry }: { readonly entry: Entry | undefined }): ReactNode {
  const teamId = useTeamId();
  if (!entry)
    return (
      <span className="cell quiet">
        <CircleDashed className="i i-s" />
        Missing
      </span>
    );
  const { value, secret, isInherited, from, isSensitive, comment } = entry;
  const Sign = secret && secret.state !== "ready" ? STATE_ICONS[secret.state] : null;
  return (
    <>
      <span className={isInherited ? "cell inherited" : "cell"}>
        {secret && <KeyRound className="i i-s" />}
        <span className="grow cut">
          {value !== undefined && <PlainValue text={value} />}
          {secret && <span className="hidden">Secret </span>}
          {secret?.name && (
            <Link href={`/teams/${teamId}/secrets/${encodeURIComponent(secret.name)}`}>
              <code>{secret.name}</code>
            </Link>
          )}
          {secret && !secret.name && <code>{secret.uid}</code>}
        </span>
        {isSensitive && <span className="badge">sensitive</span>}
        {Sign && secret && (
          <span className="bad" aria-description={STATE_WORDS[secret.state]}>
            <Sign className="i i-s" />
            <span className="hidden">{STATE_WORDS[secret.state]}</span>
          </span>
        )}
        {isInherited && (
          <span className="quiet" aria-description={`From ${from}`}>
            <CornerLeftUp className="i i-s" />
            <span className="hidden">from {from}</span>
          </span>
        )}
      </span>
      {comment !== null && <span className="below cut">{comment}</span>}
    </>
  );
}
