// A new trust rule, filled for the platform that its tokens come from.
import { useState } from "react";
import type { ReactNode } from "react";
import { API } from "../../api/early.ts";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit } from "../../parts/form.tsx";
import { LimitWords, useWords } from "../../parts/limits.tsx";
import { newRow, rowProblem } from "./claim-rows.ts";
import type { ClaimRow, TrustRule } from "./claim-rows.ts";
import { FIRST_ANSWERS, PRESETS, PLATFORM_NAMES } from "./presets.ts";
import type { Answers, Preset, PresetName, Question } from "./presets.ts";
import { ISSUED, RuleFields, fieldsOfRule, plainOf, ruleOf } from "./rule-fields.tsx";
import type { RuleDraft } from "./rule-fields.tsx";
import { Select } from "../../parts/select.tsx";

const PLATFORM_HINTS = {
  github: "Jobs of one environment of a repository. The job needs the permission id-token: write.",
  gitlab: "Jobs of one protected branch of a project, with id_tokens in the job. Your own GitLab has another issuer.",
  kubernetes: "Pods of one service account, with a projected token of this audience.",
  other: "Name a claim that others do not get from this issuer.",
};
const QUESTIONS = {
  owner: "Owner",
  ownerId: "Id of the owner",
  repository: "Repository",
  environment: "Environment",
  projectPath: "Path of the project",
  projectId: "Id of the project",
  branch: "Branch",
  namespace: "Namespace",
  serviceAccount: "Service account",
  uid: "UID of the service account",
};
const QUESTION_HINTS = {
  owner: "The organization or user, with its capital letters, such as acme.",
  ownerId: "The id at api.github.com/users/OWNER. A name that was given up can be taken by others, an id cannot.",
  repository: "Its name without the owner.",
  environment: "The environment that the job names, such as production.",
  projectPath: "With its groups, such as acme/shop.",
  projectId: "On the page of the project. A path that was given up can be taken by others, an id cannot.",
  branch: "It has to be protected.",
  namespace: "Such as shop.",
  serviceAccount: "Its name, such as deployer.",
  uid: "kubectl get serviceaccount NAME -o jsonpath={.metadata.uid}. An account that is made anew has another one.",
};

/** What a preset makes of the answers; what is not answered yet is shown as a gap. */
function claimsOf(preset: Preset, answers: Answers): Readonly<Record<string, string>> {
  const shown = Object.entries(answers).map(([question, text]) => [question, text.trim() || "…"]);
  return preset.claims(Object.fromEntries(shown) as Answers);
}

function presetRows(preset: Preset, answers: Answers): readonly ClaimRow[] {
  return Object.entries(claimsOf(preset, answers)).map(([claim, text]) => newRow(claim, text));
}

/** The rows after another answer: what somebody has changed or removed stays so. */
function answeredRows(rows: readonly ClaimRow[], preset: Preset, before: Answers, after: Answers): readonly ClaimRow[] {
  const [old, next] = [claimsOf(preset, before), claimsOf(preset, after)];
  return rows.map((row) => (row.text === old[row.claim] ? { ...row, text: next[row.claim] ?? row.text } : row));
}

interface PresetProps {
  readonly name: PresetName;
  readonly onName: (name: PresetName) => void;
  readonly answers: Answers;
  readonly onAnswer: (question: Question, text: string) => void;
}

function PresetFields({ name, onName, answers, onAnswer }: PresetProps): ReactNode {
  const { asks }: Preset = PRESETS[name];
  return (
    <>
      <Field label="Where the tokens come from" hint={PLATFORM_HINTS[name]}>
        {(control) => <Select {...control} choices={PLATFORM_NAMES} value={name} onChange={onName} />}
      </Field>
      {asks.map((question) => (
        <Field key={question} label={QUESTIONS[question]} hint={QUESTION_HINTS[question]}>
          {(control) => (
            <input
              {...control}
              value={answers[question]}
              required
              autoComplete="off"
              spellCheck={false}
              autoCapitalize="off"
              onChange={({ target }) => onAnswer(question, target.value)}
            />
          )}
        </Field>
      ))}
    </>
  );
}

interface Props {
  readonly onClose: () => void;
  readonly onMade: (trust: TrustRule) => void;
}

export function CreateTrustRule({ onClose, onMade }: Props): ReactNode {
  const teamId = useTeamId();
  const [name, setName] = useState<PresetName>("github");
  const [answers, setAnswers] = useState(FIRST_ANSWERS);
  const [draft, setDraft] = useState<RuleDraft>(() => ({
    issuer: PRESETS.github.issuer,
    audience: API.href.replace(/\/$/, ""),
    rows: presetRows(PRESETS.github, answers),
    role: "VIEWER",
  }));
  const [isSent, setSent] = useState(false);
  const create = useChange("POST /v1/identity/trusts", ({ trust }) => {
    if (trust) onMade(trust);
  });
  const { words, onChange } = useWords({ role: draft.role }, ISSUED);
  const choose = (chosen: PresetName): void => {
    const preset: Preset = PRESETS[chosen];
    setName(chosen);
    setDraft({ ...draft, issuer: preset.issuer, rows: presetRows(preset, answers) });
  };
  const answer = (question: Question, text: string): void => {
    const after = { ...answers, [question]: text };
    setAnswers(after);
    setDraft({ ...draft, rows: answeredRows(draft.rows, PRESETS[name], answers, after) });
  };
  const submit = onSubmit((field) => {
    setSent(true);
    if (draft.rows.some((row) => rowProblem(row, draft.rows) !== null)) return;
    create.mutate({ query: { teamId }, body: ruleOf(plainOf(field), draft) });
  });
  return (
    <FormDialog
      title="New trust rule"
      change={create}
      fields={fieldsOfRule(draft)}
      onSubmit={submit}
      onChange={onChange}
      onClose={onClose}
    >
      <RuleFields draft={draft} onDraft={setDraft} error={create.error} isSent={isSent}>
        <PresetFields name={name} onName={choose} answers={answers} onAnswer={answer} />
      </RuleFields>
      <LimitWords words={words} />
    </FormDialog>
  );
}
