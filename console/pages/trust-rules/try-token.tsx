// Shows claim by claim what each trust rule of a team expects of a token, and what the token has. The token is sent to the server that
// the page is from, in a body, and kept nowhere.
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../../api/call.ts";
import type { Output } from "../../api/endpoints.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { onSubmit, otherProblem, problemWith } from "../../parts/form.tsx";
import { Problem } from "../../parts/problem.tsx";
import { DataTable } from "../../parts/table.tsx";
import "../../style/trust-rules.css";

const CHECKS: Readonly<Record<string, string>> = {
  form: "Form",
  issuer: "Issuer",
  signature: "Signature",
  time: "Time",
  uses: "Uses",
};
const EXPLAIN = "POST /v1/identity/explain";
type Explanation = Output<typeof EXPLAIN>;
type Explained = Explanation["trusts"][number];

function Mark({ isGood, words }: { readonly isGood: boolean; readonly words: Readonly<[string, string]> }): ReactNode {
  return <span className={isGood ? "badge good" : "badge bad"}>{words[isGood ? 0 : 1]}</span>;
}

function Check({ passes }: { readonly passes: boolean | null }): ReactNode {
  if (passes === null) return <span className="badge">not checked</span>;
  return <Mark isGood={passes} words={["passes", "fails"]} />;
}

const FITS = ["fits", "does not fit"] as const;

function State({ trust: { fits, suspended } }: { readonly trust: Explained }): ReactNode {
  if (suspended) return <span className="badge bad">suspended</span>;
  return <Mark isGood={fits} words={FITS} />;
}

interface RuleProps {
  readonly trust: Explained;
  readonly token: Pick<Explanation, "issuer" | "audience">;
}

function Rule({ trust, token }: RuleProps): ReactNode {
  const { name, issuer, issuerFits, audience, audienceFits, claims, allows } = trust;
  const rows = [
    { claim: "iss", fits: issuerFits, expected: [issuer], got: JSON.stringify(token.issuer), hint: null },
    { claim: "aud", fits: audienceFits, expected: [audience], got: token.audience, hint: null },
    ...claims,
  ];
  return (
    <details open={issuerFits}>
      <summary>
        <strong>{name}</strong> <State trust={trust} />
      </summary>
      <DataTable
        label={`Claims that ${name} expects`}
        rows={rows}
        keyOf={({ claim }) => claim}
        isWrapped
        columns={[
          {
            title: "Claim",
            cell: ({ claim, fits }) => (
              <>
                <code>{claim}</code> <Mark isGood={fits} words={FITS} />
              </>
            ),
          },
          {
            title: "Expected",
            cell: ({ expected }) => <code>{expected.map((pattern) => JSON.stringify(pattern)).join(" or ")}</code>,
          },
          {
            title: "The token has",
            cell: ({ got, hint }) => (
              <>
                <code>{got ?? "nothing: the token does not have it"}</code>
                {hint !== null && <p>{hint}</p>}
              </>
            ),
          },
        ]}
      />
      <p className="quiet">{allows}</p>
    </details>
  );
}

/** The rules that a token was nearest to first. */
function byFit(one: Explained, other: Explained): number {
  const rank = ({ fits, issuerFits }: Explained): number => Number(fits) * 2 + Number(issuerFits);
  return rank(other) - rank(one);
}

function Result({ explained }: { readonly explained: Explanation }): ReactNode {
  const { accepted, issuer, subject, checks, trusts } = explained;
  return (
    <section className="tried" aria-live="polite">
      <div className={accepted ? "notice good" : "notice"}>
        <p>
          <strong>{accepted ? "This token is exchanged for a key." : "This token is not exchanged."}</strong>
        </p>
      </div>
      <dl>
        {issuer !== null && (
          <>
            <dt>Issuer</dt>
            <dd>
              <code>{issuer}</code>
            </dd>
          </>
        )}
        {subject !== null && (
          <>
            <dt>Subject</dt>
            <dd>
              <code>{subject}</code>
            </dd>
          </>
        )}
      </dl>
      <ul className="plain-list">
        {checks.map(({ check, passes, text }) => (
          <li key={check}>
            {CHECKS[check] ?? check} <Check passes={passes} /> <span className="quiet">{text}</span>
          </li>
        ))}
      </ul>
      {trusts.toSorted(byFit).map((trust) => (
        <Rule key={trust.id} trust={trust} token={explained} />
      ))}
    </section>
  );
}

export function TryToken({ onClose }: { readonly onClose: () => void }): ReactNode {
  const teamId = useTeamId();
  // Without the time for which answers are kept otherwise: they would be kept with the token.
  const explain = useMutation({
    mutationFn: (token: string) => call(EXPLAIN, { query: { teamId }, body: { token } }),
    gcTime: 0,
  });
  const other = otherProblem(explain.error, ["token"]);
  return (
    <Dialog title="Try a token" onClose={onClose}>
      <form onSubmit={onSubmit((field) => explain.mutate(field("token")))}>
        {other && <Problem error={other} />}
        <Field
          label="Token"
          hint="The signed token of a job or pod (JWT). It is compared with the rules, and neither exchanged nor stored."
          problem={problemWith(explain.error, "token")}
        >
          {(control) => (
            <textarea
              {...control}
              className="code"
              name="token"
              rows={4}
              required
              autoComplete="off"
              spellCheck={false}
              autoCapitalize="off"
              // Nothing of it would be missed.
              onInput={(event) => event.stopPropagation()}
            />
          )}
        </Field>
        <footer>
          <Button type="submit" busy={explain.isPending}>
            Try it
          </Button>
        </footer>
      </form>
      {explain.data && <Result explained={explain.data} />}
    </Dialog>
  );
}
