// Saved tests as a table: the request of each, what is expected, and what the last run decided.
import { CircleCheck, CircleX } from "lucide-react";
import type { ReactNode } from "react";
import type { Expectation } from "../../../../src/platform/outcomes/expectations.ts";
import type { ListState } from "../../../parts/api-list.tsx";
import { Empty } from "../../../parts/placeholder.tsx";
import { SearchInput } from "../../../parts/search-input.tsx";
import { useSearchValue } from "../../../parts/search-value.ts";
import { Segment } from "../../../parts/segment.tsx";
import { sentence } from "../../../parts/sentence.ts";
import { DataTable } from "../../../parts/table.tsx";
import type { Column } from "../../../parts/table.tsx";
import { DecisionBadge } from "../action-badge.tsx";
import { DECISION_NAMES } from "../action-words.ts";
import { ConfigChoice } from "../try/config-choice.tsx";
import type { TestRun } from "./run-tests.ts";

interface Row {
  readonly at: number;
  readonly test: Expectation;
  readonly run: TestRun | undefined;
}

type Action = keyof typeof DECISION_NAMES;

/** Method and address, and how often it is sent. */
function requestOf({ attributes: { method, url }, repeat }: Expectation): string {
  const times = repeat === 1 ? "" : `, ${repeat} times`;
  return `${typeof method === "string" ? method : "GET"} ${typeof url === "string" ? url : "/"}${times}`;
}

function Result({ test, run: { isMet, decision, why } }: Row & { readonly run: TestRun }): ReactNode {
  if (isMet) {
    return (
      <span className="badge good">
        <CircleCheck className="i i-s" />
        Pass
      </span>
    );
  }
  const { action, status } = decision;
  // Where the expected action has no column of its own, this still names it.
  const instead = action === test.action ? "" : ` instead of ${DECISION_NAMES[test.action as Action]}`;
  return (
    <>
      <span className="badge bad">
        <CircleX className="i i-s" />
        Fail
      </span>
      <div className="small">
        {sentence(DECISION_NAMES[action])}
        {instead}
        {status !== null && `, status ${status}`}: {why}
      </div>
    </>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    title: "Test",
    cell: ({ test }) => (
      <>
        <strong>{test.name}</strong>
        <code className="quiet">{requestOf(test)}</code>
      </>
    ),
  },
  {
    title: "Client",
    cell: ({ test: { attributes } }) => (typeof attributes["ip"] === "string" ? <code>{attributes["ip"]}</code> : ""),
    leaves: "narrow",
  },
  {
    title: "Expected",
    cell: ({ test: { action, status = null, rule } }) => (
      <>
        <DecisionBadge decision={{ action: action as Action, status }} />
        {rule !== undefined && <div className="small">by {rule}</div>}
      </>
    ),
    leaves: "phone",
  },
  {
    title: "Result",
    cell: ({ run, ...row }) => (run ? <Result {...row} run={run} /> : <span className="quiet">Not run</span>),
  },
];

function Summary({ runs, count }: { readonly runs: readonly TestRun[]; readonly count: number }): ReactNode {
  const failed = runs.filter(({ isMet }) => !isMet).length;
  if (runs.length === 0) return null;
  if (runs.length < count) return `${runs.length} of ${count} run`;
  return failed === 0 ? (
    <span className="badge good">All {count} as expected</span>
  ) : (
    <span className="badge bad">
      {failed} of {count} not as expected
    </span>
  );
}

interface Props {
  readonly tests: readonly Expectation[];
  /** Results of the first tests, in their order. */
  readonly runs: readonly TestRun[];
  readonly list: ListState;
}

export function TestTable({ tests, runs, list }: Props): ReactNode {
  const [search, setSearch] = useSearchValue("search");
  const [result, setResult] = useSearchValue("result");
  const wanted = search.toLowerCase();
  const rows = tests
    .map((test, at): Row => ({ at, test, run: runs[at] }))
    .filter(({ test }) => `${test.name} ${requestOf(test)}`.toLowerCase().includes(wanted))
    .filter(({ run }) => result === "" || run?.isMet === false);
  return (
    <>
      <search className="filters">
        <SearchInput label="Search name or request" value={search} onChange={setSearch} />
        <Segment
          label="Result"
          values={["All", "Failed"]}
          value={result === "" ? "All" : "Failed"}
          onChange={(one) => setResult(one === "All" ? "" : "failed")}
        />
        <output>
          <Summary runs={runs} count={tests.length} />
        </output>
        <ConfigChoice name="config" label="Configuration" versionLabel="Number of the version" />
      </search>
      <DataTable
        label="Saved tests"
        list={list}
        rows={rows}
        keyOf={({ at }) => String(at)}
        columns={COLUMNS}
        isWrapped
        empty={
          result === "" ? (
            <Empty title="No test matches" hint="Search for another part of a name or of a request." />
          ) : (
            <Empty title="No failed test matches" hint="Run the tests, or show all." />
          )
        }
      />
    </>
  );
}
