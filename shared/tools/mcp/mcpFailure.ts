// Why an MCP server could not be used, in one line that holds no secret of its configuration.

import type { McpServerConfig } from '../../config/serverConfig.ts';
import { quote } from '../../text/quote.ts';

const MAX_LENGTH = 300;
/** Shorter values (`1`, `true`) are no secrets, and hiding them would garble every message. */
const MIN_SECRET_LENGTH = 6;

/**
 * What went wrong, from the error itself or the deepest cause that says more. Values of `env`, of `headers` and of
 * the URL's query are hidden, at most 300 characters are kept. The body of an HTTP error is never part of it.
 */
export function describeFailure(error: unknown, config: McpServerConfig): string {
  return oneLine(hideSecrets(explain(error), config));
}

/** The last line a server process wrote to standard error, fit to be shown; empty if there was none. */
export function lastLine(stderr: string, config: McpServerConfig): string {
  const line = stderr.trimEnd().split('\n').at(-1) ?? '';
  return oneLine(hideSecrets(line, config));
}

function explain(error: unknown): string {
  const chain = causes(error);
  for (const link of chain) {
    if ('status' in link && typeof link.status === 'number') {
      const hint = link.status === 401 || link.status === 403 ? '; check the configured headers' : '';
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

/** The error and what caused it, outermost first; a failed connection to several addresses counts as its first one. */
function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  let current = error;
  while (current instanceof Error && !chain.includes(current)) {
    chain.push(current);
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return chain;
}

function hideSecrets(text: string, config: McpServerConfig): string {
  const values =
    config.transport === 'stdio'
      ? Object.values(config.env)
      : [...Object.values(config.headers), ...new URL(config.url).searchParams.values()];
  return values
    .flatMap((value) => [value, ...value.split(/\s+/), encodeURIComponent(value)])
    .filter((value) => value.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length)
    .reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}

function oneLine(text: string): string {
  return quote(text.replace(/\s+/g, ' ').trim(), MAX_LENGTH);
}
