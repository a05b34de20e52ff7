// Ports for OAuth logins of MCP servers: where refresh tokens are stored, and who refreshes them now.

/** The login of a server, as `inquest servers login` or a refresh stored it. All of it is secret. */
export interface StoredLogin {
  /** Issuer identifier of the authorization server. The refresh token is sent to no other. */
  issuer: string;
  /** Id of the client that logged in. */
  clientId: string;
  /** Secret of the client, if it has one. */
  clientSecret?: string | undefined;
  /** The resource that the tokens are for. */
  resource?: string | undefined;
  refreshToken: string;
  /** The last access token, so that all instances use the same one. */
  accessToken?: string | undefined;
  /** Time in milliseconds at which the access token expires. */
  expiresAt?: number | undefined;
}

/** A login, and the version that it was stored as. */
export interface VersionedLogin {
  login: StoredLogin;
  /** Opaque. A reader that knows it reads this version, not an older one. */
  version: string;
}

/** The storage of logins. */
export interface TokenVault {
  /**
   * Reads the login of a server.
   * @param version the version to read; the newest if absent.
   * @returns undefined if there is none, or it cannot be read as a login.
   * @throws RetryableError when the storage fails.
   */
  read(server: string, version?: string): Promise<VersionedLogin | undefined>;
  /**
   * Stores a login, and removes the version that it replaces.
   * @returns the new version.
   * @throws RetryableError when the storage fails.
   */
  write(server: string, login: StoredLogin, replaced: string | undefined): Promise<string>;
}

/** The right to refresh the token of a server. */
export interface RefreshLease {
  /** The stored version of the login; null if none is known. */
  version: string | null;
  /** Whether the last holder ended before it stored the result of its refresh. */
  interrupted: boolean;
  /** Ends the lease, and notes the version of the login. @throws RetryableError when the store fails. */
  release(version: string | null): Promise<void>;
}

/** Leases: only one instance refreshes the token of a server. They contain no token. */
export interface RefreshLeases {
  /** The version of a server's stored login; null if none is known. @throws RetryableError (store). */
  version(server: string): Promise<string | null>;
  /** Takes the lease; undefined while another instance has it. @throws RetryableError (store). */
  take(server: string): Promise<RefreshLease | undefined>;
}
