// Calls of one project's attack challenge mode.
import type { TestResponse, TestApp } from "../harness/test-app.ts";

export interface Shield {
  get(): Promise<TestResponse>;
  /** `body` without the project. */
  set(body: object, headers?: Readonly<Record<string, string>>): Promise<TestResponse>;
}

/** The mode of a project of the account behind `token`, or of a team's project as that account or key sees it. */
export function openShield(
  { request }: Pick<TestApp, "request">,
  token: string,
  projectId = "default",
  teamId?: string,
): Shield {
  const scope = teamId === undefined ? "" : `teamId=${teamId}`;
  const path = "/v1/attack-challenge-mode";
  return {
    get: () => request("GET", `${path}?projectId=${projectId}&${scope}`, { token }),
    set: (body, headers = {}) => request("POST", `${path}?${scope}`, { token, body: { projectId, ...body }, headers }),
  };
}
