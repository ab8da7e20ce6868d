// Expectations of a configuration: requests, what should be decided about each, and whether it is.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { TextEditor } from "../../../parts/editor/text-editor.tsx";
import { openText, saveText } from "../../../parts/files.ts";
import { Problem } from "../../../parts/problem.tsx";
import { useSearchValue } from "../../../parts/search-value.ts";
import { DataTable } from "../../../parts/table.tsx";
import { useFirewallQuery } from "../firewall-config.ts";
import { ConfigChoice } from "../try/config-choice.tsx";
import type { TestRun } from "./run-tests.ts";

/** The text, kept in this browser for each project. */
function useKeptText(): readonly [string, (text: string) => void] {
  const { teamId, projectId } = useFirewallQuery();
  const key = `reeve firewall tests ${teamId} ${projectId}`;
  const [text, setText] = useState(
    () =>
      localStorage.getItem(key) ??
      "expectations:\n  - name: nobody reaches the panel\n    request: https://example.com/admin/\n    expect: deny\n  - name: the home page is open\n    request: https://example.com/\n    expect: allow\n",
  );
  const keep = (next: string): void => {
    setText(next);
    localStorage.setItem(key, next);
  };
  return [text, keep];
}

function Results({ runs, count }: { readonly runs: readonly TestRun[]; readonly count: number }): ReactNode {
  const met = runs.filter(({ isMet }) => isMet).length;
  return (
    <>
      <output className={met === count ? "notice good" : "notice"}>
        {met} of {count} as expected
      </output>
      <DataTable
        label="Results"
        rows={runs}
        keyOf={(run) => String(runs.indexOf(run))}
        isWrapped
        columns={[
          {
            title: "Expectation",
            cell: ({ isMet, name }) => (
              <>
                <span className={isMet ? "badge good" : "badge bad"}>{isMet ? "met" : "not met"}</span> {name}
              </>
            ),
          },
          { title: "Expected", cell: ({ expected }) => expected },
          { title: "Decided", cell: ({ actual }) => actual },
        ]}
      />
    </>
  );
}

function Editor(): ReactNode {
  const query = useFirewallQuery();
  const [config] = useSearchValue("config");
  const [text, setText] = useKeptText();
  const [runs, setRuns] = useState<readonly TestRun[]>([]);
  const run = useMutation({
    async mutationFn() {
      const { readTests, runTest } = await import("./run-tests.ts");
      const tests = readTests(text);
      const done: TestRun[] = [];
      setRuns([]);
      for (const expectation of tests.expectations) {
        done.push(await runTest(expectation, tests, { params: { configVersion: config || "active" }, query }));
        setRuns([...done]);
      }
      return done.length;
    },
  });
  const open = async (): Promise<void> => {
    const opened = await openText(".yaml,.yml,.json");
    if (opened !== null) setText(opened);
  };
  return (
    <>
      <div className="tools">
        <Button kind="plain" onClick={() => void open()}>
          Open a file
        </Button>
        <Button kind="plain" onClick={() => saveText("firewall.test.yaml", text, "application/yaml")}>
          Save as a file
        </Button>
      </div>
      <TextEditor
        label="Expectations"
        hint="YAML or JSON. It is kept in this browser, for this project; save it as a file to share it."
        language="plain"
        value={text}
        onChange={setText}
      />
      <div className="filters">
        <ConfigChoice name="config" label="Configuration" versionLabel="Number of the version" />
        <Button busy={run.isPending} onClick={() => run.mutate()}>
          Run
        </Button>
      </div>
      {run.error && <Problem error={run.error} />}
      {runs.length > 0 && <Results runs={runs} count={run.data ?? runs.length} />}
    </>
  );
}

export function TestsPage(): ReactNode {
  const { teamId, projectId } = useFirewallQuery();
  return (
    <>
      <p>
        Requests, and what is expected of each: the same file that reeve firewall test reads. Each is tried with empty
        counters.
      </p>
      <Editor key={`${teamId} ${projectId}`} />
    </>
  );
}
