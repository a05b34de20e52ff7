// What `auth: google` of a server may be combined with, and where its tokens may go.

import type * as z from 'zod';

/** This machine, by its usual names. */
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The fields of a server that concern its tokens. */
interface GoogleAuthFields {
  url: string;
  headers: Record<string, string>;
  auth?: 'google' | undefined;
  audience?: string | undefined;
  scopes?: string[] | undefined;
  impersonate?: string | undefined;
}

/** Adds a fault for each setting that has no effect, contradicts another one, or would give a token away. */
export function checkGoogleAuth(server: GoogleAuthFields, context: z.RefinementCtx): void {
  const add = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
  if (server.auth === undefined) {
    for (const field of ['audience', 'scopes', 'impersonate'] as const) {
      if (server[field] !== undefined)
        add([field], 'has no effect without auth: google; add that, or remove this');
    }
    return;
  }
  const header = Object.keys(server.headers).find((name) => name.toLowerCase() === 'authorization');
  if (header !== undefined)
    add(['headers', header], 'is what auth: google sends; remove this header, or auth');
  if (server.audience !== undefined && server.scopes !== undefined)
    add(
      ['scopes'],
      'makes it an access token, which has no audience; keep audience for a server of your own, scopes for one of Google',
    );
  const url = URL.parse(server.url);
  if (url === null || LOOPBACK.test(url.hostname)) return;
  if (url.protocol !== 'https:')
    add(['url'], 'must be an https URL with auth: google: others could read the token on its way');
  // Whoever gets an access token can use it at every API of its scopes; an ID token is for its audience alone.
  if (server.scopes !== undefined && !url.hostname.endsWith('.googleapis.com'))
    add(
      ['scopes'],
      `would give ${url.hostname} a token for Google's APIs; they go to *.googleapis.com alone: use audience`,
    );
}
