// The tables of sign-in as Kysely sees them.

export interface SignInTables {
  sessions: SessionsTable;
  passwords: PasswordsTable;
  passkeys: PasskeysTable;
  identities: IdentitiesTable;
  recovery_codes: RecoveryCodesTable;
  one_time_codes: OneTimeCodesTable;
  known_devices: KnownDevicesTable;
  sign_in_failures: SignInFailuresTable;
}

/** Browsers that are signed in. */
export interface SessionsTable {
  id: string;
  user_id: string;
  /** SHA-256 of the cookie's value. */
  hash: string;
  /** What the person proved who they are with: `password`, `passkey`, `provider`, `link`, `recovery-code`. */
  method: string;
  ip: string;
  user_agent: string | null;
  /** When they last proved it. */
  proved_at: number;
  active_at: number;
  created_at: number;
  position: number;
}

export interface PasswordsTable {
  user_id: string;
  /** PHC string: algorithm, parameters, salt and hash. */
  hash: string;
  changed_at: number;
}

export interface PasskeysTable {
  id: string;
  user_id: string;
  /** The authenticator's id of the credential, base64url. */
  credential_id: string;
  /** The host that it was made for, so that it is known after the instance's host changes. */
  rp_id: string;
  /** COSE. */
  public_key: Uint8Array;
  counter: number;
  /** JSON array. */
  transports: string;
  name: string;
  used_at: number | null;
  created_at: number;
  position: number;
}

/** Accounts of OpenID Connect providers that sign in to an account here. */
export interface IdentitiesTable {
  id: string;
  user_id: string;
  /** Id of the provider in the configuration. */
  provider: string;
  issuer: string;
  subject: string;
  /** The address that the provider gave last. */
  email: string | null;
  used_at: number;
  created_at: number;
  position: number;
}

export interface RecoveryCodesTable {
  user_id: string;
  hash: string;
}

/** Codes of links and steps of sign-in. Using one deletes its row. */
export interface OneTimeCodesTable {
  /** SHA-256 of the code. */
  hash: string;
  purpose: string;
  user_id: string | null;
  /** JSON. */
  data: string;
  /** The mail that carries the code, whose attempts each replace it; null for a code that was shown. */
  mail_id: string | null;
  expires_at: number;
}

/** Browsers that an account has signed in on: strangers who guess its password do not pause them. */
export interface KnownDevicesTable {
  user_id: string;
  hash: string;
  used_at: number;
}

/** Failed attempts to sign in, by what is paused. */
export interface SignInFailuresTable {
  subject: string;
  failures: number;
  paused_until: number;
  failed_at: number;
}
