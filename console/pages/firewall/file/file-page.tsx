// The configuration as a file: changed as text, imported, exported, and published after a look at what it changes.
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import { isRefusal } from "../../../api/call.ts";
import { useChange } from "../../../api/queries.ts";
import { Button } from "../../../parts/button.tsx";
import { TextEditor } from "../../../parts/editor/text-editor.tsx";
import { Field } from "../../../parts/field.tsx";
import { openText, saveText } from "../../../parts/files.ts";
import { onSubmit } from "../../../parts/form.tsx";
import { useLeaveWarning } from "../../../parts/leave-warning.ts";
import { Skeleton } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { useWhyNot } from "../../../parts/why-not.ts";
import { Differences } from "../difference.tsx";
import { useConfigs, useFirewallQuery } from "../firewall-config.ts";
import type { Configs } from "../firewall-config.ts";
import { projectHref } from "../../../parts/project.tsx";
import { configText, diffConfig, readConfigText } from "./config-text.ts";
import type { ConfigFile } from "./config-text.ts";

/** All that is wrong with a file, with the path of each. */
function Refused({ error }: { readonly error: Error }): ReactNode {
  const errors = isRefusal(error) ? error.details["errors"] : undefined;
  if (!Array.isArray(errors)) return <Problem error={error} />;
  return (
    <div className="problem" role="alert">
      <p>The server refuses the file:</p>
      <ul>
        {(errors as { field: string; message: string }[]).map(({ field, message }) => (
          <li key={field + message}>
            <code>{field.replace(/^body\./, "")}</code>: {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface ReviewProps {
  readonly active: Configs["active"];
  readonly file: ConfigFile;
  readonly why: string | null;
  readonly onBack: () => void;
  readonly onStored: () => void;
}

function Review({ active, file, why, onBack, onStored }: ReviewProps): ReactNode {
  const query = useFirewallQuery();
  // What is published replaces what was compared with, and nothing that came meanwhile.
  const [base] = useState(active?.value ?? null);
  const publish = useChange("PUT /v1/firewalls", onStored);
  const submit = onSubmit((field) =>
    publish.mutate({
      query,
      // The server checks the text, and says what is wrong with it.
      body: {
        ...(file as unknown as Parameters<typeof publish.mutate>[0]["body"]),
        expectedVersion: base?.version ?? 0,
        ...(field("note") !== "" && { note: field("note") }),
      },
    }),
  );
  return (
    <form onSubmit={submit}>
      <Differences title="Changes" differences={diffConfig(base, file)} />
      <div className="panel">
        <Field label="Note">{(control) => <input {...control} name="note" autoComplete="off" maxLength={500} />}</Field>
        {publish.error && <Refused error={publish.error} />}
        <footer className="tools">
          <Button type="submit" disabledBecause={why} busy={publish.isPending}>
            Publish
          </Button>
          <Button kind="plain" onClick={onBack}>
            Go on editing
          </Button>
        </footer>
      </div>
    </form>
  );
}

function read(text: string): { readonly file: ConfigFile | null; readonly problem: string | null } {
  try {
    return { file: readConfigText(text), problem: null };
  } catch (error) {
    return { file: null, problem: `This is no JSON object. ${error instanceof Error ? error.message : ""}` };
  }
}

function FileEditor({ configs: { active, draft } }: { readonly configs: Configs }): ReactNode {
  const query = useFirewallQuery();
  const [, navigate] = useLocation();
  const [first] = useState(() => configText((draft ?? active)?.value ?? null));
  const [text, setText] = useState(first);
  const [isReviewed, setReviewed] = useState(false);
  const why = useWhyNot("firewall:write");
  useLeaveWarning(text !== first);
  const { file, problem } = useMemo(() => read(text), [text]);
  const open = async (): Promise<void> => {
    const opened = await openText(".json,application/json");
    if (opened !== null) setText(opened);
  };
  return (
    <>
      {draft && (
        <p className="notice">
          There is a draft, and the text has its changes. When you publish the text, the draft stays: discard it then.
        </p>
      )}
      <div className="tools">
        <Button kind="plain" onClick={() => void open()}>
          Open a file
        </Button>
        <Button kind="plain" onClick={() => saveText(`firewall-${query.projectId}.json`, text, "application/json")}>
          Save as a file
        </Button>
      </div>
      <TextEditor
        label="Configuration"
        hint="JSON. Rules keep their ids; one without an id is new."
        problem={problem}
        language="json"
        value={text}
        readOnly={isReviewed}
        onChange={setText}
      />
      {isReviewed && file ? (
        <Review
          active={active}
          file={file}
          why={why}
          onBack={() => setReviewed(false)}
          onStored={() => navigate(projectHref(ADDRESSES.firewallVersions, query.teamId, query.projectId))}
        />
      ) : (
        <div className="tools">
          <Button disabledBecause={problem} onClick={() => setReviewed(true)}>
            Review changes
          </Button>
        </div>
      )}
    </>
  );
}

export function FilePage(): ReactNode {
  const configs = useConfigs();
  const { projectId } = useFirewallQuery();
  if (configs.error && !configs.data) return <Problem error={configs.error} retry={() => void configs.refetch()} />;
  return (
    <>
      <p>
        The whole configuration as PUT /v1/firewalls takes it, and as reeve firewall test reads it. Shared conditions
        are changed here.
      </p>
      {configs.data ? <FileEditor key={projectId} configs={configs.data} /> : <Skeleton />}
    </>
  );
}
