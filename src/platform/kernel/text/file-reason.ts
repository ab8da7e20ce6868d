// Why a file cannot be read or written, in words.

/** By the code of the system. */
export const FILE_REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a part of its path is no folder",
  EISDIR: "it is a folder",
  ESPIPE: "it is no regular file",
  EACCES: "this user may not",
  EPERM: "this user may not",
  EROFS: "the disk can only be read",
  ENOSPC: "the disk is full",
  EDQUOT: "this user's part of the disk is full",
  EFBIG: "no file of this process may become so large",
  EIO: "the disk failed",
};

/** Why a file cannot be used; a code that is rare as it is. */
export function fileReason(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return FILE_REASONS[code] ?? (code || message);
}
