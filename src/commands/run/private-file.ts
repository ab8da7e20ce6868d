// Writes files with values in them: only their owner may read them.
import { readFile } from "node:fs/promises";
import { explainFile, writeAtomically } from "../../backup/atomic-file.ts";

/** Replaces an existing file only where `mayReplace` accepts its text. */
export async function writePrivateFile(
  file: string,
  text: string,
  mayReplace: (present: string) => boolean,
): Promise<void> {
  const present = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw explainFile(error, "write", file);
  });
  await writeAtomically(file, present === null || mayReplace(present), (handle) => handle.writeFile(text));
}
