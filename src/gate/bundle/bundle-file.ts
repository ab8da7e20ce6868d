// The last bundle of each project on disk, so that a gate starts without the control plane. A bundle holds the keys of challenges: only
// the gate's account may read it.
import { hash } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { projectKey } from "../hosts.ts";
import type { ProjectReference } from "../hosts.ts";

/** A bundle as the control plane sent it. */
export interface StoredBundle {
  /** When the control plane last confirmed that it is the current one; ms. */
  readonly confirmedAt: number;
  readonly text: string;
}

const OWN = 0o600;
/** Bits of a file's mode that let others than its owner in. */
const OTHERS = 0o077;

/** Whether others could read a file: not any more, or still. */
export type Exposure = "never" | "until_now" | "still";

/** The first line of the file; the bundle follows it. */
interface Head extends Omit<StoredBundle, "text"> {
  readonly format: 1;
  /** Of the control plane: its bundles are not those of another one. */
  readonly server: string;
  /** By its team and name; absent in files of before. */
  readonly project?: string;
  /** Of the text. It finds files that were cut short; who can write here can compute it. */
  readonly sha256: string;
}

export interface BundleFiles {
  /**
   * Null: there is none. Throws when there is one that cannot be used. From then on others cannot read the file, unless it is of another
   * account or cannot be changed.
   */
  read(project: ProjectReference): Promise<(StoredBundle & { readonly exposed: Exposure }) | null>;
  write(project: ProjectReference, bundle: StoredBundle): Promise<void>;
}

function fileName(project: string): string {
  return `${project.replace("/", "~")}.bundle`;
}

function parse(content: string, server: string, project: string): StoredBundle {
  const end = content.indexOf("\n");
  const text = content.slice(end + 1);
  const {
    format,
    confirmedAt,
    sha256,
    server: from,
    project: of = project,
  } = JSON.parse(content.slice(0, end)) as Head;
  if (format !== 1) throw new Error("it has a format that this version does not know");
  if (from !== server) throw new Error(`it is of the server ${from}`);
  if (of !== project) throw new Error(`it is of the project ${of}`);
  if (hash("sha256", text) !== sha256) throw new Error("its content was changed or cut short");
  return { confirmedAt, text };
}

async function openIfThere(file: string): Promise<FileHandle | null> {
  try {
    return await open(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

async function hide(handle: FileHandle): Promise<Exposure> {
  if (((await handle.stat()).mode & OTHERS) === 0) return "never";
  try {
    await handle.chmod(OWN);
    return "until_now";
  } catch {
    // A gate without its bundle would protect nothing.
    return "still";
  }
}

/** Files in a folder, which is made when the first is written. */
export function createBundleFiles(folder: string, server: string): BundleFiles {
  return {
    async read(reference) {
      const project = projectKey(reference);
      const handle = await openIfThere(join(folder, fileName(project)));
      if (!handle) return null;
      try {
        const exposed = await hide(handle);
        return { ...parse(await handle.readFile("utf8"), server, project), exposed };
      } finally {
        await handle.close();
      }
    },
    async write(reference, { text, confirmedAt }) {
      const project = projectKey(reference);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const head: Head = { format: 1, server, project, confirmedAt, sha256: hash("sha256", text) };
      const file = join(folder, fileName(project));
      const staged = `${file}.${process.pid}.new`;
      try {
        const handle = await open(staged, "w", OWN);
        try {
          await handle.writeFile(`${JSON.stringify(head)}\n${text}`);
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(staged, file);
      } catch (error) {
        await rm(staged, { force: true });
        throw error;
      }
    },
  };
}
