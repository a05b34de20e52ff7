// Reads JSON from the API of a source.

import { describeCause } from '../../../../shared/core/errors.ts';

const TIMEOUT_MS = 30_000;
/** A list of ten thousand alerts has some megabytes. */
const MAX_BYTES = 50_000_000;

/**
 * The JSON at an address.
 * @throws Error that names the address without its query, and the fix for a refused token.
 */
export async function getJson(
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<unknown> {
  const name = `${url.origin}${url.pathname}`;
  let response: Response;
  let text: string;
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    // A redirect could take the token to another host.
    response = await fetch(url, {
      headers: { accept: 'application/json', ...headers },
      redirect: 'error',
      signal: limit,
    });
    text = await limited(response, name);
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`${name} cannot be read: ${describeCause(error)}`, { cause: error });
  }
  if (response.status === 401 || response.status === 403)
    throw new Error(`${name} answered ${response.status}: set a token in catch-up.yaml that can read alerts`);
  if (!response.ok) throw new Error(`${name} answered ${response.status}; check url in catch-up.yaml`);
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} answered no JSON; check url in catch-up.yaml`);
  }
}

async function limited(response: Response, name: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`${name} answered more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
