// One valid call of every endpoint, each time on things that nobody has changed yet. An endpoint without an example
// fails the catalogue tests.
import { uniqueName } from "../harness.ts";
import type { World } from "./world.ts";

export interface Example {
  /** Who calls; the world's owner unless it says otherwise. */
  readonly token?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export const EXAMPLES: Readonly<Record<string, (world: World) => Example | Promise<Example>>> = {
  getCurrentUser: () => ({}),
  createUser: ({ admin }) => {
    const username = uniqueName("example");
    return { token: admin.token, body: { username, email: `${username}@example.com` } };
  },
  createTeam: () => ({ body: { slug: uniqueName("example") } }),
  listTeams: () => ({}),
  getTeam: ({ team }) => ({ params: { teamId: team.id } }),
};
