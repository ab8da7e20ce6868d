// The file of a project, which a web server reads: it is whole at every moment.
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { projectKey } from "../hosts.ts";
import type { ProjectReference } from "../hosts.ts";

const STAGING = ".new";

/** Like the file of the project's bundle; the character that separates occurs in no name. */
export function seclangFile(folder: string, project: ProjectReference): string {
  return join(folder, `${projectKey(project).replace("/", "~")}.conf`);
}

/** Null: there is no such file. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function writeWhole(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  // Elsewhere, so that anyone who watches the folder sees one change, when the file is whole.
  const staged = join(folder, STAGING, `${basename(path)}.${process.pid}`);
  await mkdir(dirname(staged), { recursive: true });
  try {
    const handle = await open(staged, "w", 0o644);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(staged, path);
  } catch (error) {
    await rm(staged, { force: true });
    throw error;
  }
  await syncFolder(folder);
}
