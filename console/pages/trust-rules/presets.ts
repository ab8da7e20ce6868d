// What a trust rule says for the platforms that most jobs run on. Each preset names whose the token is by an id beside its name,
// because a name that was given up can be taken by others.

import type { TrustRule } from "./claim-rows.ts";

export const PLATFORM_NAMES = {
  github: "GitHub Actions",
  gitlab: "GitLab",
  kubernetes: "Kubernetes",
  other: "Another OpenID Connect issuer",
};
export const QUESTIONS = [
  "owner",
  "ownerId",
  "repository",
  "environment",
  "projectPath",
  "projectId",
  "branch",
  "namespace",
  "serviceAccount",
  "uid",
] as const;
export type Question = (typeof QUESTIONS)[number];
export type Answers = Readonly<Record<Question, string>>;

export interface Preset {
  /** Empty: everybody has one of their own. */
  readonly issuer: string;
  readonly asks: readonly Question[];
  /** Of several patterns, each has a line. */
  readonly claims: (answers: Answers) => Readonly<Record<string, string>>;
}

export const PRESETS = {
  github: {
    issuer: "https://token.actions.githubusercontent.com",
    asks: ["owner", "ownerId", "repository", "environment"],
    claims: ({ owner, ownerId, repository, environment }) => ({
      // New, renamed and transferred repositories send ids in their subjects, others do not yet.
      sub: [`repo:${owner}/${repository}`, `repo:${owner}@${ownerId}/${repository}@*`]
        .map((start) => `${start}:environment:${environment}`)
        .join("\n"),
      repository_owner_id: ownerId,
    }),
  },
  gitlab: {
    issuer: "https://gitlab.com",
    asks: ["projectPath", "projectId", "branch"],
    claims: ({ projectPath, projectId, branch }) => ({
      sub: `project_path:${projectPath}:ref_type:branch:ref:${branch}`,
      project_id: projectId,
      ref_protected: "true",
    }),
  },
  kubernetes: {
    issuer: "",
    asks: ["namespace", "serviceAccount", "uid"],
    claims: ({ namespace, serviceAccount, uid }) => ({
      sub: `system:serviceaccount:${namespace}:${serviceAccount}`,
      '["kubernetes.io","serviceaccount","uid"]': uid,
    }),
  },
  other: { issuer: "", asks: [], claims: () => ({ sub: "" }) },
} as const satisfies Readonly<Record<string, Preset>>;
export type PresetName = keyof typeof PRESETS;

/** What most answer; the rest has to be typed. */
export const FIRST_ANSWERS: Answers = {
  ...(Object.fromEntries(QUESTIONS.map((question) => [question, ""])) as Record<Question, string>),
  environment: "production",
  branch: "main",
};

/** What a cluster has as its issuer is its own: its subjects tell. */
export function platformOf({ issuer, claims }: TrustRule): string {
  const names = Object.keys(PRESETS) as PresetName[];
  const known = names.find((name) => PRESETS[name].issuer === issuer);
  if (known !== undefined) return PLATFORM_NAMES[known];
  const isOfCluster = [claims["sub"]].flat().some((one) => String(one).startsWith("system:serviceaccount:"));
  return isOfCluster ? PLATFORM_NAMES.kubernetes : issuer.replace(/^https:\/\//, "");
}
