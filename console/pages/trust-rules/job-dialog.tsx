// A job that uses a trust rule, to copy.
import { useState } from "react";
import type { ReactNode } from "react";
import { API } from "../../api/call.ts";
import { useTeamId } from "../../api/team.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TEXTS, fill } from "../../texts.ts";
import type { Trust } from "./claim-rows.ts";
import { JOBS, mayReadValues, platformOf } from "./job-snippets.ts";
import type { PresetName } from "./presets.ts";

const T = TEXTS.trustRules;
const NAMES = Object.keys(JOBS) as PresetName[];

interface Props {
  readonly trust: Trust;
  readonly onClose: () => void;
}

export function JobDialog({ trust, onClose }: Props): ReactNode {
  const team = useTeamId();
  const [platform, setPlatform] = useState(() => platformOf(trust));
  const job = JOBS[platform]({ server: API.href.replace(/\/$/, ""), team, trust });
  return (
    <Dialog title={fill(T.jobTitle, { name: trust.name })} onClose={onClose}>
      <p>{mayReadValues(trust) ? T.jobReadsValues : T.jobShowsKey}</p>
      <div className="tools">
        <select
          aria-label={T.platform}
          value={platform}
          onChange={({ target }) => setPlatform(target.value as PresetName)}
        >
          {NAMES.map((one) => (
            <option key={one} value={one}>
              {one === "other" ? T.anyShell : T.platforms[one]}
            </option>
          ))}
        </select>
        <CopyButton text={job} />
      </div>
      <textarea
        readOnly
        className="code"
        rows={job.split("\n").length - 1}
        wrap="off"
        aria-label={T.job}
        value={job}
        spellCheck={false}
      />
      <p className="hint">{T.jobHints[platform]}</p>
    </Dialog>
  );
}
