// Changes a trust rule, and says what ends with the change. Two who do so at once see both versions.
import { useState } from "react";
import type { ReactNode } from "react";
import type { Fetched } from "../../api/call.ts";
import { useChange, useNewest } from "../../api/queries.ts";
import { useTeamId, useUser } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Conflict, isConflict } from "../../parts/conflict.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { fieldsOf, onSubmit, otherProblem, NOTHING_CHANGED } from "../../parts/form.tsx";
import { LimitWords, useWords } from "../../parts/limits.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { rowProblem, rowsOf } from "./claim-rows.ts";
import type { TrustRule } from "./claim-rows.ts";
import { ISSUED, RuleFields, fieldsOfRule, plainOf, ruleOf } from "./rule-fields.tsx";
import type { RuleDraft } from "./rule-fields.tsx";
import { changeOf, differencesOf, storedFields, storedWords } from "./stored-rule.ts";

interface FormProps {
  /** The newest that is known. */
  readonly found: Fetched<TrustRule>;
  readonly onClose: () => void;
}

function plainOfStored({ name, singleUse, permissions, projects, environments, names, allowedCidrs }: TrustRule) {
  return {
    name,
    singleUse,
    permissions,
    ...(projects && { projects }),
    ...(environments && { environments }),
    ...(names && { names }),
    ...(allowedCidrs.length > 0 && { allowedCidrs }),
  };
}

function ChangeForm({ found, onClose }: FormProps): ReactNode {
  const teamId = useTeamId();
  const me = useUser().data?.value.user.id;
  // The form is about what it showed first, so that what others stored meanwhile is not written over unseen.
  const [base] = useState(found);
  const stored = base.value;
  const [plain, setPlain] = useState<ReturnType<typeof plainOf>>(() => plainOfStored(stored));
  const [draft, setDraft] = useState<RuleDraft>(() => ({ ...stored, rows: rowsOf(stored.claims) }));
  const [isSent, setSent] = useState(false);
  const { words, onChange } = useWords(storedWords(stored), ISSUED);
  const update = useChange("PATCH /v1/identity/trusts/:trustId", onClose);
  const typed = ruleOf(plain, draft);
  const changed = changeOf(stored, typed);
  const isNothing = Object.keys(changed).length === 0;
  const endsKeys = !isNothing && (stored.responsibleId !== me || Object.keys(changed).some((key) => key !== "name"));
  const save = ({ etag }: Fetched<TrustRule>): void => {
    setSent(true);
    if (draft.rows.some((row) => rowProblem(row, draft.rows) !== null)) return;
    update.mutate({
      params: { trustId: stored.id },
      query: { teamId },
      body: changed,
      ...(etag === null ? {} : { ifMatch: etag }),
    });
  };
  const other = otherProblem(update.error, fieldsOfRule(draft));
  return (
    <form
      onSubmit={onSubmit(() => save(base))}
      onChange={(event) => {
        onChange(event);
        const form = event.currentTarget;
        // When the change is shown: a choice may show other fields, which are read too.
        setTimeout(() => setPlain(plainOf(fieldsOf(form))));
      }}
    >
      {other && !isConflict(other) && (
        <Refusal error={other} retry={() => update.variables && update.mutate(update.variables)} />
      )}
      {isConflict(other) && (
        <Conflict
          fields={differencesOf(stored, found.value, typed)}
          busy={update.isPending}
          onKeep={() => save(found)}
          onTake={onClose}
        />
      )}
      <RuleFields draft={draft} onDraft={setDraft} stored={storedFields(stored)} error={update.error} isSent={isSent} />
      <LimitWords words={words} />
      {endsKeys && (
        <output className="notice">
          This ends the keys that the rule has issued: the next request with one is refused, and jobs exchange their
          token again. You answer for the rule from now on.
        </output>
      )}
      <footer>
        <Button type="submit" disabledBecause={isNothing ? NOTHING_CHANGED : null} busy={update.isPending}>
          Save
        </Button>
      </footer>
    </form>
  );
}

interface Props {
  readonly trust: TrustRule;
  readonly onClose: () => void;
}

export function ChangeTrustRule({ trust: { id, name }, onClose }: Props): ReactNode {
  const teamId = useTeamId();
  const { data, error, refetch } = useNewest("GET /v1/identity/trusts/:trustId", {
    params: { trustId: id },
    query: { teamId },
  });
  return (
    <Dialog title={`Change the trust rule ${name}`} onClose={onClose}>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={5} />}
      {data && <ChangeForm found={{ value: data.value.trust, etag: data.etag }} onClose={onClose} />}
    </Dialog>
  );
}
