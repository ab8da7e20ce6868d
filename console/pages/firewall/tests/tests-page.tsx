// Saved tests of a configuration: requests, what should be decided about each, and whether it is.
import { FileCode, Play, Table2 } from "lucide-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { TextEditor } from "../../../parts/editor/text-editor.tsx";
import { openText, saveText } from "../../../parts/files.ts";
import { PageActions } from "../../../parts/page-title.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { useSearchValue } from "../../../parts/search-value.ts";
import { useFirewallQuery } from "../firewall-config.ts";
import { Refused } from "../try/refused.tsx";
import type { TestRun, Tests } from "./run-tests.ts";
import { TestTable } from "./test-table.tsx";

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

type Read = (text: string) => Tests;

function tryRead(read: Read | undefined, text: string): { readonly tests?: Tests; readonly problem?: Error } {
  try {
    return read ? { tests: read(text) } : {};
  } catch (error) {
    return { problem: error instanceof Error ? error : new Error(String(error)) };
  }
}

interface EditorProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly problem: Error | undefined;
}

function Editor({ text, onChange, problem }: EditorProps): ReactNode {
  const open = async (): Promise<void> => {
    const opened = await openText(".yaml,.yml,.json");
    if (opened !== null) onChange(opened);
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
        problem={problem?.message ?? null}
        language="plain"
        value={text}
        onChange={onChange}
      />
    </>
  );
}

interface Ran {
  /** What ran: results of another text or configuration are not shown. */
  readonly text: string;
  readonly config: string;
  readonly runs: readonly TestRun[];
}

function SavedTests(): ReactNode {
  const query = useFirewallQuery();
  const [config] = useSearchValue("config");
  const [mode, setMode] = useSearchValue("edit");
  const [text, setText] = useKeptText();
  const [ran, setRan] = useState<Ran | null>(null);
  // The reader of YAML is large: the page shows before it is there.
  const loading = useQuery({
    queryKey: ["reader of saved tests"],
    queryFn: () => import("./run-tests.ts"),
    staleTime: Infinity,
  });
  const reader = loading.data;
  const { tests, problem } = useMemo(() => tryRead(reader?.readTests, text), [reader, text]);
  const run = useMutation({
    async mutationFn() {
      if (!reader || !tests) return;
      setMode("");
      const runs: TestRun[] = [];
      setRan({ text, config, runs: [] });
      for (const expectation of tests.expectations) {
        runs.push(await reader.runTest(expectation, tests, { params: { configVersion: config || "active" }, query }));
        setRan({ text, config, runs: [...runs] });
      }
    },
  });
  const isText = mode === "yaml";
  const shown = ran?.text === text && ran.config === config ? ran : null;
  return (
    <>
      <PageActions>
        <Button kind="plain" onClick={() => setMode(isText ? "" : "yaml")}>
          {isText ? <Table2 className="i" /> : <FileCode className="i" />}
          {isText ? "Show as table" : "Edit as YAML"}
        </Button>
        <Button busy={run.isPending} disabledBecause={problem?.message ?? null} onClick={() => run.mutate()}>
          <Play className="i" />
          Run
        </Button>
      </PageActions>
      {isText ? (
        <Editor text={text} onChange={setText} problem={problem} />
      ) : (
        <>
          {shown && run.error && <Refused error={run.error} />}
          {problem ? (
            <Problem error={problem} />
          ) : (
            <TestTable tests={tests?.expectations ?? []} runs={shown?.runs ?? []} list={loading} />
          )}
        </>
      )}
    </>
  );
}

export function TestsPage(): ReactNode {
  const { teamId, projectId } = useFirewallQuery();
  return (
    <>
      <p>
        The file that <code>reeve firewall test</code> reads. Each test begins with empty counters.
      </p>
      <SavedTests key={`${teamId} ${projectId}`} />
    </>
  );
}
