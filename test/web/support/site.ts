// A site that is stopped when its test ends.

import { onTestFinished } from 'vitest';
import type { SessionFixture } from '../../../web/dev/fixtures.ts';
import type { Fixtures } from '../../../web/dev/pageApi.ts';
import { type SiteOptions, serveSite } from '../../../web/dev/site.ts';

/** Starts a site with these sessions. */
export async function startSite(
  sessions: SessionFixture[],
  { me, exampleAlert, ...options }: SiteOptions & Omit<Fixtures, 'sessions'> = {},
) {
  const site = await serveSite({ sessions, me, exampleAlert }, options);
  onTestFinished(site.stop);
  return site;
}
