// A schema for readers: each member with its type, its limits and its meaning; what is inside of it is shown on demand.
import { useState } from "react";
import type { ReactNode } from "react";
import { limitsOf, membersOf, typeName } from "../../../src/serve/reference/schema-words.ts";
import type { JsonSchema, Member, Resolve } from "../../../src/serve/reference/schema-words.ts";
import { Prose } from "../../parts/prose.tsx";

/** Members of an object that is shown open; longer ones wait to be opened. */
const SHORT = 14;
const OPEN_DEPTH = 2;

/** What is said of one value: of a member, or of a parameter. */
export function ValueRow({
  resolve,
  name,
  schema,
  mark,
  description,
  children,
}: {
  readonly resolve: Resolve;
  readonly name: string;
  readonly schema: JsonSchema;
  /** What sets it apart from the others; null: nothing. */
  readonly mark: string | null;
  readonly description: string;
  readonly children?: ReactNode;
}): ReactNode {
  const limits = limitsOf(schema, resolve);
  return (
    <li>
      <p className="member">
        {name === "" ? <em>any name</em> : <code>{name}</code>}{" "}
        <span className="quiet">{typeName(schema, resolve)}</span>
        {mark !== null && <span className="badge">{mark}</span>}
      </p>
      {description !== "" && (
        <p>
          <Prose text={description} />
        </p>
      )}
      {limits.length > 0 && (
        <p className="hint">
          <Prose text={limits.join("; ")} />
        </p>
      )}
      {children}
    </li>
  );
}

/** Which members are marked: those that have to be sent, or those that may be absent from a response. */
type Marks = "required" | "optional";

function markOf({ isRequired, name }: Member, marks: Marks): string | null {
  if (marks === "required") return isRequired ? "required" : null;
  return isRequired || name === "" ? null : "may be absent";
}

interface Inner {
  readonly resolve: Resolve;
  readonly marks: Marks;
  readonly depth: number;
}

function Members({ resolve, members, marks, depth }: Inner & { readonly members: readonly Member[] }): ReactNode {
  return (
    <ul className="members">
      {members.map((member) => (
        <ValueRow
          key={member.name}
          resolve={resolve}
          name={member.name}
          schema={member.schema}
          mark={markOf(member, marks)}
          description={member.schema.description ?? resolve(member.schema).description ?? ""}
        >
          <Inside resolve={resolve} name={member.name} schema={member.schema} marks={marks} depth={depth + 1} />
        </ValueRow>
      ))}
    </ul>
  );
}

/** The members of a member. They are rendered once they are asked for: schemas are deep. */
function Inside({
  resolve,
  name,
  schema,
  marks,
  depth,
}: Inner & { readonly name: string; readonly schema: JsonSchema }): ReactNode {
  const members = membersOf(schema, resolve);
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH && members.length <= SHORT);
  if (members.length === 0) return null;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Inside {name || "any name"} ({members.length})
      </summary>
      {isOpen && <Members resolve={resolve} members={members} marks={marks} depth={depth} />}
    </details>
  );
}

/** All of a body. */
export function SchemaView({
  resolve,
  schema,
  marks,
}: Omit<Inner, "depth"> & { readonly schema: JsonSchema }): ReactNode {
  const members = membersOf(schema, resolve);
  const type = typeName(schema, resolve);
  const { description } = resolve(schema);
  return (
    <>
      {type !== "object" && <p className="quiet">{type}</p>}
      {description !== undefined && (
        <p>
          <Prose text={description} />
        </p>
      )}
      {members.length > 0 ? (
        <Members resolve={resolve} members={members} marks={marks} depth={0} />
      ) : (
        type === "object" && <p className="quiet">No members.</p>
      )}
    </>
  );
}
