// The examples of accounts, sessions and ways to sign in.
import { uniqueName } from "../harness/test-app.ts";
import { sessionAsToken } from "../sign-in/session-token.ts";
import type { TestUser } from "../harness/test-app.ts";
import { makePasskey } from "../sign-in/made-passkey.ts";
import { openSession } from "../sign-in/open-session.ts";
import { newUser } from "./example-things.ts";
import type { Example } from "./example-things.ts";
import type { World } from "./world.ts";

async function sessionOf(world: World, user: TestUser): Promise<string> {
  return sessionAsToken((await openSession(world, user)).session);
}

/** A passkey that no authenticator has: what is done with its row needs none. */
async function plantPasskey(world: World, user: TestUser): Promise<string> {
  const id = uniqueName("passkey_example");
  await world.query(
    `insert into passkeys (id, user_id, credential_id, rp_id, public_key, counter, transports, name, created_at, position)
      values ('${id}', '${user.id}', '${id}', 'localhost', '', 0, '[]', 'Laptop', ${world.clock.now}, ${Number(id.split("-")[1])})`,
  );
  return id;
}

async function plantPassword(world: World, user: TestUser): Promise<void> {
  await world.query(`delete from passwords where user_id = '${user.id}'`);
  await world.query(
    `insert into passwords (user_id, hash, changed_at) values ('${user.id}', 'none', ${world.clock.now})`,
  );
}

/** An account at a provider that there need not be. */
async function plantIdentity(world: World, user: TestUser): Promise<string> {
  const id = uniqueName("identity_example");
  await world.query(
    `insert into identities (id, user_id, provider, issuer, subject, email, used_at, created_at, position)
      values ('${id}', '${user.id}', 'example', 'https://id.example.com', '${id}', null, ${world.clock.now}, ${world.clock.now}, ${Number(id.split("-")[1])})`,
  );
  return id;
}

/** Somebody with a passkey, a password and a session. */
async function newSignedIn(world: World) {
  const user = await newUser(world);
  await plantPassword(world, user);
  return { passkeyId: await plantPasskey(world, user), token: await sessionOf(world, user) };
}

const asOwner = async (world: World): Promise<Example> => ({ token: await sessionOf(world, world.owner) });

export const ACCOUNT_EXAMPLES: Readonly<Record<string, (world: World) => Example | Promise<Example>>> = {
  // Users
  getCurrentUser: () => ({}),
  updateCurrentUser: () => ({ body: { name: uniqueName("Name") } }),
  deleteCurrentUser: async (world) => ({ token: (await newUser(world)).token, body: { reasons: [] } }),
  createUser: ({ admin }) => {
    const username = uniqueName("example");
    return { token: admin.token, body: { username, email: `${username}@example.com` } };
  },
  listUsers: ({ admin }) => ({ token: admin.token }),
  getUser: ({ admin, owner }) => ({ token: admin.token, params: { uid: owner.id } }),
  updateUser: async (world) => ({
    token: world.admin.token,
    params: { uid: (await newUser(world)).id },
    body: { suspended: true },
  }),
  deleteUser: async (world) => ({ token: world.admin.token, params: { uid: (await newUser(world)).id } }),

  listSessions: () => ({}),
  deleteSession: async (world) => ({ params: { sessionId: (await openSession(world, world.owner)).id } }),
  deleteSessions: async (world) => {
    const user = await newUser(world);
    await openSession(world, user);
    return { token: user.token };
  },

  listPasskeys: asOwner,
  createPasskeyOptions: asOwner,
  createPasskey: async (world) => {
    const token = await sessionOf(world, await newUser(world));
    const asked = await world.request("POST", "/v1/user/passkeys/options", { token });
    return { token, body: { credential: makePasskey(asked.body.publicKey), name: "Laptop" } };
  },
  renamePasskey: async (world) => {
    const { passkeyId, token } = await newSignedIn(world);
    return { token, params: { passkeyId }, body: { name: uniqueName("Phone") } };
  },
  deletePasskey: async (world) => {
    const { passkeyId, token } = await newSignedIn(world);
    return { token, params: { passkeyId } };
  },
  listIdentities: asOwner,
  deleteIdentity: async (world) => {
    const user = await newUser(world);
    await plantPassword(world, user);
    return { token: await sessionOf(world, user), params: { identityId: await plantIdentity(world, user) } };
  },
  getEmail: asOwner,
  // The instance of these tests sends no mail.
  changeEmail: async (world) => {
    const user = await newUser(world);
    await world.request("PATCH", `/v1/users/${user.id}`, { body: { admin: true } });
    return { token: await sessionOf(world, user), body: { email: `${uniqueName("changed")}@example.com` } };
  },
  getPassword: asOwner,
  setPassword: async (world) => ({
    ...(await asOwner(world)),
    body: { password: `correct horse ${uniqueName("battery")}` },
  }),
  deletePassword: async (world) => ({ token: (await newSignedIn(world)).token }),
  getRecoveryCodes: asOwner,
  createRecoveryCodes: asOwner,

  getInstance: ({ admin }) => ({ token: admin.token }),
};
