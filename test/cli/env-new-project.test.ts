// `reeve env push` to a project that is not there: the change begins it, and says so.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { startApplicationWorld } from "./application-world.ts";

const world = await startApplicationWorld();
after(world.stop);
const { folder, run } = world;
await world.set("production", { STAGE: { value: "production" } });

test("a push says that it begins a project, and is refused where another one has a name like it", async () => {
  writeFileSync(join(folder, "begun.env"), "BEGUN=1\n");
  const push = (project: string, ...more: readonly string[]) =>
    run(["env", "push", join(folder, "begun.env"), "-t", "acme", "-p", project, "-e", "production", ...more]);
  const like = await push("shopp", "--yes");
  assert.deepEqual([like.code, like.stdout], [3, ""]);
  assert.match(like.stderr, /^There is no project shopp yet: the change begins it; did you mean shop\?$/m);
  assert.match(like.stderr, /^reeve: nothing was pushed: --new-project begins shopp; did you mean shop\?$/m);
  assert.equal((await push("shopp", "--dry-run")).code, 0);
  assert.equal((await push("shopp", "--yes", "--new-project")).code, 0);
  assert.doesNotMatch((await push("shopp", "--yes")).stderr, /no project/);
  const other = await push("quite-another", "--yes");
  assert.equal(other.code, 0);
  assert.match(other.stderr, /^There is no project quite-another yet: the change begins it$/m);
});
