// Environments side by side: a row for each key.
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { projectHref, useProject } from "../../parts/project.tsx";
import { EntryValue } from "./entry-value.tsx";
import { useEnvironmentHref } from "./project-environments.ts";
import type { Environment } from "./project-environments.ts";

/** So many keys are shown at once. */
const STEP = 200;

interface Props {
  readonly environments: readonly Environment[];
  readonly keys: readonly string[];
  /** The one that narrow screens show. */
  readonly chosen: string;
}

export function Grid({ environments, keys, chosen }: Props): ReactNode {
  const teamId = useTeamId();
  const [project] = useProject();
  const hrefOf = useEnvironmentHref();
  const [most, setMost] = useState(STEP);
  const columns = environments.map((one) => ({
    ...one,
    href: hrefOf(one.name),
    entryOf: new Map(one.entries.map((entry) => [entry.key, entry])),
    className: one.name === chosen ? undefined : "not-chosen",
  }));
  return (
    <>
      {/* Scrolled by keyboard too. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <section className="grid" aria-label="Environments" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Key</th>
              {columns.map(({ name, href, className, inheritsFrom, entries }) => (
                <th key={name} scope="col" className={className}>
                  <Link href={href}>{name}</Link> <span className="small">{entries.length}</span>
                  {inheritsFrom !== null && <span className="below">from {inheritsFrom}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {keys.slice(0, most).map((key) => (
              <tr key={key}>
                <th scope="row">
                  <Link
                    aria-label={key}
                    href={projectHref(ADDRESSES.environmentKey, teamId, project).replace(":key", key)}
                  >
                    <code>{key}</code>
                  </Link>
                </th>
                {columns.map(({ name, className, entryOf }) => (
                  <td key={name} className={className}>
                    <EntryValue entry={entryOf.get(key)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {keys.length > most && (
        <div className="tools">
          <Button kind="plain" onClick={() => setMost(most + STEP)}>
            Show more
          </Button>
          <span className="quiet">
            {most} of {keys.length} keys
          </span>
        </div>
      )}
    </>
  );
}
