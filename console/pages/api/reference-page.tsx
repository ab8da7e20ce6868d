// Every operation of the API, by subject, with a search.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { PageBadges } from "../../parts/page-title.tsx";
import { Empty, Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { useSearchValue } from "../../parts/search-value.ts";
import { useReference } from "./document.ts";
import type { Reference } from "./document.ts";
import { Method } from "./method.tsx";
import type { Operation } from "./operations.ts";
import { Prose } from "../../parts/prose.tsx";
import { Filter } from "../../parts/select.tsx";
import "./reference.css";

/** Whether every word of a search is somewhere in what is said of an operation. */
function matches(operation: Operation, search: string): boolean {
  const { id, method, path, aliases, tag, summary, description, permission, events, sdk } = operation;
  const all = [id, method, path, ...aliases, tag, summary, ...description, permission, ...events, sdk?.function];
  const text = all.join(" ").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function Group({
  tag,
  operations,
}: {
  readonly tag: Reference["tags"][number];
  readonly operations: readonly Operation[];
}): ReactNode {
  return (
    <section className="operations">
      <h2>{tag.name}</h2>
      <p className="quiet">{tag.description}</p>
      <ul className="cards">
        {operations.map(({ id, method, path, summary }) => (
          <li key={id}>
            <Link href={`/api/${id}`}>
              <Method method={method} />
              <span>
                <Prose text={summary} />
              </span>
              <code className="quiet">{path}</code>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Operations({ reference }: { readonly reference: Reference }): ReactNode {
  const { tags, operations } = reference;
  const [search, setSearch] = useSearchValue("search");
  const [tag, setTag] = useSearchValue("tag");
  const found = operations.filter((one) => (tag === "" || one.tag === tag) && matches(one, search.trim()));
  const groups = Map.groupBy(found, (one) => one.tag);
  return (
    <>
      <PageBadges>
        <output className="count">{found.length} calls</output>
      </PageBadges>
      <div className="filters">
        <SearchInput label="Search names, paths, permissions and events" value={search} onChange={setSearch} />
        <Filter label="Subject" choices={tags.map(({ name }) => name)} value={tag} onChange={setTag} />
      </div>
      {found.length === 0 && (
        <Empty title="No call matches" hint="Search for fewer words, or in every subject.">
          <Link href="/api">Show every call</Link>
        </Empty>
      )}
      {tags.map((one) => {
        const inGroup = groups.get(one.name);
        return inGroup && <Group key={one.name} tag={one} operations={inGroup} />;
      })}
    </>
  );
}

export function ReferencePage(): ReactNode {
  const { data, error, isPending, refetch } = useReference();
  if (isPending) return <Skeleton />;
  return (
    <>
      <p className="lead">
        Every call of the API, with examples, and a form that sends it with your own session.{" "}
        <a href="../openapi.json">openapi.json</a> · <a href="../docs/">Documentation</a>
      </p>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {data && <Operations reference={data} />}
    </>
  );
}
