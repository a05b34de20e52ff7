// Describes why an MCP server could not be used, in one line without the secrets of its configuration.

import type { McpServerConfig } from '../../contract/mcpServer.ts';
import { InquestError, TerminalError } from '../../core/errors.ts';
import { knownSecrets } from '../../masking/knownSecrets.ts';
import { createMasker } from '../../masking/masker.ts';
import { quoteText } from '../../text/cut.ts';
import { errorLines } from './serverErrors.ts';
import { LIST_TOO_LARGE } from './toolList.ts';

/** Longest description, in characters. */
const MAX_LENGTH = 300;

/**
 * The HTTP status, the system error or the message of the deepest cause. Values of `env`, of `headers` and of
 * the URL's query are hidden, and at most 300 characters are kept. The body of an HTTP error is never shown.
 * @param secrets further values to hide. They must be hidden before the text is cut: later masking does not
 *   find part of a secret.
 */
export function describeFailure(
  error: unknown,
  config: McpServerConfig,
  secrets: readonly string[] = [],
): string {
  const own = ownError(error);
  // Our own message has no secrets, and ends with the remedy.
  if (own !== undefined) return own.message;
  return quoteLine(hideSecrets(failureText(error, config), config, secrets));
}

/** Why a server process ended, from standard error; masked and cut, empty if it wrote nothing. */
export function lastWords(stderr: string, config: McpServerConfig, secrets: readonly string[] = []): string {
  return quoteLine(errorLines(hideSecrets(stderr, config, secrets)));
}

/**
 * Whether retrying cannot help: the command does not exist or is not executable, the login was refused, no
 * token is available, or the list of tools is too large.
 */
export function isPermanent(error: unknown): boolean {
  const own = ownError(error);
  if (own !== undefined) return own instanceof TerminalError;
  return errorChain(error).some((link) => {
    if ('status' in link && (link.status === 401 || link.status === 403)) return true;
    const { syscall, code } = link as Omit<NodeJS.ErrnoException, 'code'> & { code?: unknown };
    if (code === LIST_TOO_LARGE) return true;
    return syscall?.startsWith('spawn') === true && (code === 'ENOENT' || code === 'EACCES');
  });
}

/** An error that was thrown on purpose: about a token, or a redirect. */
function ownError(error: unknown): InquestError | undefined {
  return errorChain(error).find((link) => link instanceof InquestError);
}

function failureText(error: unknown, config: McpServerConfig): string {
  const chain = errorChain(error);
  for (const link of chain) {
    if ('status' in link && typeof link.status === 'number') {
      const hint = link.status === 401 || link.status === 403 ? `; ${loginHint(config)}` : '';
      return `it answered HTTP ${link.status}${hint}`;
    }
  }
  for (const link of chain) {
    if ('syscall' in link && 'code' in link && typeof link.code === 'string') {
      return link.message || link.code;
    }
  }
  const last = chain.at(-1);
  if (last === undefined) return String(error);
  return last.message || ('code' in last ? String(last.code) : last.name);
}

function loginHint(config: McpServerConfig): string {
  if (config.transport === 'stdio' || config.auth === undefined) return 'check the configured headers';
  if (config.auth === 'github-app') return "check githubApp.repositories, and the app's permissions";
  if (config.auth === 'oauth')
    return config.oauth?.grant === 'login'
      ? 'check oauth.scopes, and log in again with `inquest servers login`'
      : 'check oauth.clientId and oauth.scopes';
  const caller = config.impersonate ?? 'the service account of runIteration';
  if (config.scopes !== undefined) return `check scopes, and the roles of ${caller}`;
  const audience = config.audience ?? new URL(config.url).origin;
  return `give ${caller} roles/run.invoker on it, and check audience (${audience})`;
}

/** The error and its causes, outermost first. Of several addresses the first failure counts. */
export function errorChain(error: unknown): Error[] {
  const chain: Error[] = [];
  let current = error;
  while (current instanceof Error && !chain.includes(current)) {
    chain.push(current);
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return chain;
}

function hideSecrets(text: string, config: McpServerConfig, secrets: readonly string[]): string {
  const values =
    config.transport === 'stdio'
      ? Object.values(config.env)
      : [...Object.values(config.headers), ...new URL(config.url).searchParams.values()];
  const known = [
    ...values.flatMap((value) => [value, ...value.split(/\s+/)]),
    ...knownSecrets({}, { server: config }),
    ...secrets,
  ];
  return createMasker({ known }).mask(text).text;
}

function quoteLine(text: string): string {
  return quoteText(text.replace(/\s+/g, ' ').trim(), MAX_LENGTH, 'words');
}
