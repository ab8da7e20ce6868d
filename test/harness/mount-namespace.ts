// The start of a command that runs with its own mounts, for read-only files and small disks. A user who is not root can have
// them where the system permits user namespaces.
const isRoot = process.getuid?.() === 0;

export const MOUNT_NAMESPACE: readonly string[] = [
  "unshare",
  "--mount",
  ...(isRoot ? [] : ["--user", "--map-root-user"]),
];
