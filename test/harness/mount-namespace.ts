// What begins a command that runs with mounts of its own, for files and disks as no test could have them otherwise. A user
// who is not root gets them where the system lets everybody have namespaces.
const isRoot = process.getuid?.() === 0;

export const MOUNT_NAMESPACE: readonly string[] = [
  "unshare",
  "--mount",
  ...(isRoot ? [] : ["--user", "--map-root-user"]),
];
