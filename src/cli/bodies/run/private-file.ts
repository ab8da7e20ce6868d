// Writes files with values in them: only their owner may read them.
import { readFile, readlink } from "node:fs/promises";
import { Failure } from "../../../platform/outcomes/failure.ts";
import { explainFile, writeAtomically } from "../../../serve/backup/atomic-file.ts";

/** Replaces an existing file only where `mayReplace` accepts its text. */
export async function writePrivateFile(
  file: string,
  text: string,
  mayReplace: (present: string) => boolean,
): Promise<void> {
  // The rename at the end would put the file in the place of the link, and leave what others read by its target as it was.
  const target = await readlink(file).catch(() => null);
  if (target !== null) {
    throw new Failure(
      "refused",
      `${file} is a symbolic link to ${target}: name that file, or remove the link`,
      "file_is_link",
    );
  }
  const present = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw explainFile(error, "write", file);
  });
  await writeAtomically(file, present === null || mayReplace(present), (handle) => handle.writeFile(text));
}
