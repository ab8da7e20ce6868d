// A job that uses a trust rule, to copy.
import { useState } from "react";
import type { ReactNode } from "react";
import { API } from "../../api/early.ts";
import { useTeamId } from "../../api/team.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import type { TrustRule } from "./claim-rows.ts";
import { JOBS, mayReadValues, platformOf } from "./job-snippets.ts";
import { PLATFORM_NAMES } from "./presets.ts";
import { Select } from "../../parts/select.tsx";

const JOB_HINTS = {
  github:
    "One of the jobs of a workflow in .github/workflows. deploy/github-action of Reeve is an action that exports the values of an environment, and needs no command line.",
  gitlab:
    "One of the jobs in .gitlab-ci.yml. deploy/gitlab of Reeve is a template that exports the values of an environment, and needs no command line.",
  kubernetes: "A pod; what stands in capital letters is yours to fill in. The image needs curl.",
  other: "The last lines run where ID_TOKEN holds the token.",
};

interface Props {
  readonly trust: TrustRule;
  readonly onClose: () => void;
}

export function JobDialog({ trust, onClose }: Props): ReactNode {
  const team = useTeamId();
  const [platform, setPlatform] = useState(() => platformOf(trust));
  const job = JOBS[platform]({ server: API.href.replace(/\/$/, ""), team, trust });
  return (
    <Dialog title={`A job that uses ${trust.name}`} onClose={onClose}>
      <p>
        {mayReadValues(trust)
          ? "It shows its signed token, gets a key of 15 minutes for it, and runs a program with the values of an environment. The command line (reeve) has to be there."
          : "It shows its signed token, gets a key of 15 minutes for it, and asks what the key may do."}
      </p>
      <div className="tools">
        <Select
          aria-label="Where the tokens come from"
          choices={{ ...PLATFORM_NAMES, other: "Anything else, with a shell and curl" }}
          value={platform}
          onChange={setPlatform}
        />
        <CopyButton text={job} />
      </div>
      <textarea
        readOnly
        className="code"
        rows={job.split("\n").length - 1}
        wrap="off"
        aria-label="The job"
        value={job}
        spellCheck={false}
      />
      <p className="hint">{JOB_HINTS[platform]}</p>
    </Dialog>
  );
}
