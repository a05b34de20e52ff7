// The secrets that a process was given: by its environment and by the configuration of its MCP servers.

import type { McpServerConfig } from '../contract/mcpServer.ts';
import { GROUPS } from './ruleGroups.ts';
import { findKeyMeaning } from './scan/keyNames.ts';
import { createScan } from './scan/scan.ts';
import { isPlaceholder } from './scan/values.ts';
import { isSearchable } from './secretEncodings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Names of variables whose values are secrets, beside those that `findKeyMeaning` knows. */
const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)(?:_ID)?$/i;
/** Headers that describe the protocol, not the caller. */
export const PLAIN_HEADER =
  /^(?:accept|accept-.*|content-.*|user-agent|host|connection|cache-control|origin|referer|x-goog-user-project|mcp-protocol-version|traceparent|x-.*-(?:version|region|project))$/i;
/** `GOOGLE_APPLICATION_CREDENTIALS` names a file. */
const PATH = /^(?:\.{0,2}|~)(?:\/[\w.@-]+)+\/?$/;

/**
 * Values that must not appear anywhere: of variables with the name of a secret, user information and secret
 * parameters of URLs, headers of servers, and findings of the rules in the variables and arguments of
 * servers. Those too short or too common to be looked for (`isSearchable`) are left out.
 * @param servers servers.yaml with its variables filled in. Default: none.
 * @param secretVariables names of variables that the configuration declares as secrets. Default: none.
 */
export function knownSecrets(
  env: Environment,
  servers: Readonly<Record<string, McpServerConfig>> = {},
  secretVariables: readonly string[] = [],
): string[] {
  const values = [
    ...fromVariables(env),
    ...secretVariables.map((name) => (env[name] ?? '').trim()),
    ...Object.values(servers).flatMap(fromServer),
  ];
  return [...new Set(values)].filter(
    (value) => isSearchable(value) && !isPlaceholder(value) && !PATH.test(value),
  );
}

function fromVariables(env: Environment): string[] {
  return Object.entries(env).flatMap(([name, value = '']) => [
    ...(isSecretName(name) ? [value] : []),
    ...fromUrl(value),
  ]);
}

/** Whether the values of a variable with this name are secrets: `GITHUB_TOKEN`. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) || findKeyMeaning(name)?.sure === true;
}

function fromServer(server: McpServerConfig): string[] {
  return [server, ...Object.values(server.instances?.list ?? {})].flatMap(fromOneServer);
}

function fromOneServer(server: McpServerConfig): string[] {
  if (server.transport === 'stdio') {
    return [
      ...fromVariables(server.env),
      ...secretsIn([server.command, ...server.args].join(' ')),
      ...fromArguments(server.args),
      ...server.args.flatMap(fromUrl),
    ];
  }
  const headers = Object.entries(server.headers).filter(([name]) => !PLAIN_HEADER.test(name));
  return [
    ...headers.flatMap(([, value]) => fromHeader(value)),
    ...fromUrl(server.url),
    server.githubApp?.privateKey ?? '',
    server.oauth?.clientSecret ?? '',
  ];
}

/** The whole value of an option with the name of a secret: `--password VALUE`, `--password=VALUE`. */
function fromArguments(args: readonly string[]): string[] {
  return args.flatMap((argument, index) => {
    const [, name, value] = /^--?([A-Za-z][\w-]*)(?:=([\s\S]*))?$/.exec(argument) ?? [];
    if (name === undefined || !findKeyMeaning(name)?.sure) return [];
    return [value ?? args[index + 1] ?? ''];
  });
}

/** The value, the part behind its scheme, and the password of `Basic`. */
function fromHeader(value: string): string[] {
  const [, scheme = '', credential = ''] = /^([A-Za-z][\w-]*)\s+(\S.*)$/.exec(value.trim()) ?? [];
  if (credential === '') return [value.trim()];
  if (scheme.toLowerCase() !== 'basic') return [credential];
  const pair = Buffer.from(credential, 'base64').toString('utf8');
  return [credential, pair.slice(pair.indexOf(':') + 1)];
}

/** User information, and parameters that are named like secrets or look like them. */
function fromUrl(text: string): string[] {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? URL.parse(text) : null;
  if (url === null) return [];
  const parameters = [...url.searchParams].filter(
    ([name]) => findKeyMeaning(name) !== undefined || /^(?:sig|code)$/i.test(name),
  );
  const user = [url.password || url.username, ...parameters.map(([, value]) => value)];
  return user.flatMap((value) => [value, decodeText(value)]);
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The secrets that the rules find in a text. */
function secretsIn(text: string): string[] {
  const scan = createScan(text);
  for (const finder of Object.values(GROUPS).flat()) finder(scan);
  return scan.findings.map(({ start, end }) => text.slice(start, end));
}
