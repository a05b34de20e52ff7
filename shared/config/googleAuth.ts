// Checks the settings that a server combines with `auth: google`, and the hosts that get its tokens.

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

/** Adds a fault for each setting that has no effect, contradicts another setting, or would leak a token. */
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
    add(['headers', header], 'is already sent by auth: google; remove this header, or auth');
  if (server.audience !== undefined && server.scopes !== undefined)
    add(
      ['scopes'],
      'makes it an access token, which has no audience; keep audience for a server of your own, scopes for one of Google',
    );
  const url = URL.parse(server.url);
  if (url === null || LOOPBACK.test(url.hostname)) return;
  if (url.protocol !== 'https:')
    add(['url'], 'must be an https URL with auth: google: others could read the token on its way');
  // The receiver of an access token can use it at every API of its scopes; an ID token is valid only for its audience.
  if (server.scopes !== undefined && !url.hostname.endsWith('.googleapis.com'))
    add(
      ['scopes'],
      `would give ${url.hostname} a token for Google's APIs; such tokens go only to *.googleapis.com: use audience`,
    );
}
