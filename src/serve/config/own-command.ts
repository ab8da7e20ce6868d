// How people run the commands that this process tells them to run: the words in place of `reeve`, and where their data is.
import { existsSync, realpathSync } from "node:fs";
import { hostname } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { shellWord } from "../../platform/kernel/text/shell-word.ts";

/** What the process knows of its own start. */
export interface StartFacts {
  /** The file that Node.js runs. */
  readonly script: string;
  /** The file of Node.js. */
  readonly node: string;
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  /** The name of the container whose own program this is; null: no container, or a shell within one started it. */
  readonly container: string | null;
}

export function containerName(): string | null {
  // Inside of the container, the process that the runtime starts has no parent.
  if (process.ppid !== 0) return null;
  return existsSync("/.dockerenv") || existsSync("/run/.containerenv") ? hostname() : null;
}

function isSame(file: string, script: string): boolean {
  return existsSync(file) && realpathSync(file) === script;
}

function isInside(folder: string, root: string): boolean {
  const path = relative(root, folder);
  return path === "" || !(path.startsWith("..") || path.startsWith("/"));
}

/** The folder and all that contain it. */
function upwards(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upwards(above)];
}

function npmCommand(root: string, { cwd, environment }: StartFacts): string {
  const shell = environment["INIT_CWD"] ?? cwd;
  return isInside(shell, root) ? "npm run reeve --" : `npm --prefix ${shellWord(root)} run reeve --`;
}

/** What people write in place of `reeve` where they started it. */
export function ownCommand(facts: StartFacts): string {
  const { cwd, environment, container } = facts;
  if (container !== null) return `docker exec ${shellWord(container)} reeve`;
  const script = realpathSync(facts.script);
  const root = dirname(dirname(script));
  const isCheckout = existsSync(join(root, "src", "cli", "main.ts"));
  if (isCheckout && environment["npm_lifecycle_event"] !== undefined) return npmCommand(root, facts);
  // npm adds these folders to the path of what it runs, and not to that of the shell.
  const path = (environment["PATH"] ?? "").split(delimiter).filter((folder) => !folder.endsWith("node_modules/.bin"));
  if (path.some((folder) => isSame(join(folder, "reeve"), script))) return "reeve";
  const shell = environment["INIT_CWD"] ?? cwd;
  if (upwards(shell).some((folder) => isSame(join(folder, "node_modules/.bin/reeve"), script))) return "npx reeve";
  // Of two on the path, the shell takes the first.
  const first = path.map((folder) => join(folder, "node")).find((file) => existsSync(file));
  const node = first !== undefined && isSame(first, realpathSync(facts.node)) ? "node" : shellWord(facts.node);
  return `${node} ${shellWord(isInside(script, shell) ? relative(shell, script) : script)}`;
}
