// The validated configuration of an MCP server, with references to the environment resolved.

import type { ModelSettings } from '../core/schema/agent.ts';
import type { Yields } from '../core/schema/block.ts';
import type { ServerQuota } from './quotas.ts';

/** The field lists that are shipped, as shared/evidence/fields/NAME.yaml. */
export const FIELD_LISTS = ['kubernetes', 'prometheus'] as const;
/** The `fields` of servers whose tools with `state` answer with service maps: to a verdict they are texts. */
export const SERVICE_MAP = 'servicemap';

/** Finds out about an interrupted call with a read-only call of the same server. */
export interface ProbeSettings {
  /** Name of the tool to call, without the server's. */
  tool: string;
  /**
   * Its arguments. `${arguments.name}` is an argument of the interrupted call, `${idempotencyKey}` its
   * idempotency key.
   */
  arguments: Record<string, string>;
  /** Text of the answer if the call took effect. With both texts or neither, the effect stays unknown. */
  happened: string;
  /** Text that the answer contains if the call did not take effect. */
  didNotHappen: string;
}

/** The settings of a tool. All but `costs` are for one that changes something. */
export interface ToolSettings {
  /** Whether a call costs money or load: code never repeats one for contrast. */
  costs?: true | undefined;
  /** Whether a person has to approve each call. Without it the tool is not offered. */
  approval?: 'required' | 'none' | undefined;
  /** `key`: the tool runs a call only once per idempotency key. */
  idempotent?: 'key' | undefined;
  /** A read-only call that finds out whether an interrupted call took effect. Absent: it stays unknown. */
  probe?: ProbeSettings | undefined;
}

/** The scope of a server's tools. */
export interface ScopeSettings {
  /** Where the values are from. */
  from: 'labels';
  /** Names of parameters, which are also the names of the labels. Empty: only tools are chosen. */
  keys: string[];
  /** Patterns of tools that take none of these parameters and are offered nevertheless. */
  unscoped: string[];
  /** Tools that only alerts with these labels get, by pattern: of each label one value, with `*`. */
  tools: Record<string, { labels: Record<string, string[]> }>;
}

/** Several clusters or accounts behind one entry of servers.yaml. */
export interface ServerInstances {
  /** Name of the parameter that names the instance in every call: `cluster`. */
  parameter: string;
  /** The settings of each instance by its name, as those of a server; without instances of its own. */
  list: Readonly<Record<string, McpServerConfig>>;
}

/** Settings of servers of every kind. Patterns are names, `*`, or a prefix and `*` (`get_*`). */
interface AnyMcpServer {
  /** `read`: only read-only tools are offered. `write`: also those for which `tools` has an `approval`. */
  access: 'read' | 'write';
  /** Patterns of tools that are read-only. */
  readOnly: string[];
  /** Whether the server's own hint (`readOnlyHint`) also makes a tool read-only. */
  trustHints: boolean;
  /**
   * Whether its tools are external. Absent: they are private, except those that the server hints to be
   * external (`openWorldHint`).
   */
  reaches?: 'outside' | 'inside' | undefined;
  /** Settings of tools that change something or cost, by pattern. The most specific pattern applies. */
  tools: Record<string, ToolSettings>;
  /** The kind of results by tool pattern. The most specific applies. Tools without one yield `text`. */
  yields?: Record<string, Yields> | undefined;
  /** The field list of its tools that yield `state`. Absent: all their results are texts to the verdict. */
  fields?: string | undefined;
  /** Parameters hidden from the model, by name: `${labels.NAME}` for a label of the alert, or fixed text. */
  arguments: Record<string, string>;
  /** Limits every call to the place that the alert's labels name. Absent: no limit besides `arguments`. */
  scope?: ScopeSettings | undefined;
  /** The instances; this entry's connection settings are those of the first. Absent: one server. */
  instances?: ServerInstances | undefined;
  /** Milliseconds until the server must have started, answered and listed its tools. */
  connectTimeoutMs: number;
  /** UTF-8 bytes of a result that the model gets; replaces the agent's limit for this server's tools. */
  resultBytes?: number | undefined;
  /** The model that summarises longer results; absent: they are shown in part. */
  summarizeWith?: ModelSettings | undefined;
  /** `ignore`: the server's instructions for models are not shown. Default: they are shown as data. */
  instructions?: 'show' | 'ignore' | undefined;
  /** Whether an instance keeps the connection between iterations. Otherwise each opens a new one. */
  keepConnection: boolean;
  /** Time limit of a call in milliseconds; replaces the agent's own limit for the tools of this server. */
  timeoutMs?: number | undefined;
  /** Limits that all instances share. Absent: none. */
  limits?: ServerQuota | undefined;
}

/** A process on this machine, connected over its standard streams. */
export interface StdioServerConfig extends AnyMcpServer {
  /** Selects this kind of server. */
  transport: 'stdio';
  /** Name of a command on PATH, or a path that starts at `cwd`. Run without a shell. */
  command: string;
  /** Arguments of the command, in order; empty for none. */
  args: string[];
  /** The environment of the process, besides PATH, HOME, USER, LOGNAME, SHELL and TERM. */
  env: Record<string, string>;
  /** `inherit`: this process's HOME. Default, unless `env` sets it: an empty folder, removed at the end. */
  home?: 'private' | 'inherit' | undefined;
  /** Working directory; that of this process by default. */
  cwd?: string | undefined;
}

/** An installation of a GitHub App. */
export interface GithubAppSettings {
  /** Id of the app, or its client id. */
  appId: string;
  /** Id of the installation. */
  installationId: string;
  /** The app's private key as PEM. */
  privateKey: string;
  /** Names of the repositories that the tokens are for, without their owner. */
  repositories: string[];
  /** Base of GitHub's REST API. Default: `https://api.github.com`. */
  apiUrl?: string | undefined;
}

/** The tokens of a server that uses OAuth (RFC 9728, RFC 8414). */
export interface OAuthSettings {
  /** `client-credentials`: a secret of Inquest. `login`: the token that `inquest servers login` stored. */
  grant: 'client-credentials' | 'login';
  /** The only authorization server that gets the client's secret. Required for client credentials. */
  issuer?: string | undefined;
  /** Id of the client. Absent, for a login: the client is registered when it logs in. */
  clientId?: string | undefined;
  /** Secret of the client. Required for client credentials. */
  clientSecret?: string | undefined;
  /** Requested scopes. Default: those that the server names. */
  scopes?: string[] | undefined;
}

/** A remote server, connected over streamable HTTP. */
export interface HttpServerConfig extends AnyMcpServer {
  /** Selects this kind of server. */
  transport: 'http';
  /** Absolute URL of the server's MCP endpoint. */
  url: string;
  /** Headers of every request, by name. Values can hold secrets; errors never quote them. */
  headers: Record<string, string>;
  /**
   * Every request carries a token in its Authorization header: of Google, of an installation of a GitHub App,
   * or of the server's own authorization server.
   */
  auth?: 'google' | 'github-app' | 'oauth' | undefined;
  /** The project that pays, and whose quota is used (`x-goog-user-project`), with `auth: google`. */
  quotaProject?: string | undefined;
  /** The installation whose tokens `auth: github-app` sends. */
  githubApp?: GithubAppSettings | undefined;
  /** How `auth: oauth` gets its tokens. */
  oauth?: OAuthSettings | undefined;
  /** The audience of an ID token. Default: the URL's origin, as Cloud Run requires. */
  audience?: string | undefined;
  /** Scopes of an access token, which is sent instead of an ID token. */
  scopes?: string[] | undefined;
  /** The service account that the token is minted for. Default: the process's own. */
  impersonate?: string | undefined;
}

/** An MCP server of the configuration. */
export type McpServerConfig = StdioServerConfig | HttpServerConfig;
