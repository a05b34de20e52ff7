// A site that is stopped when its test ends.

import { onTestFinished } from 'vitest';
import type { Fixtures, SessionFixture } from '../../../web/dev/fixtures.ts';
import { type SiteOptions, serveSite } from '../../../web/dev/site.ts';

/** Starts a site with these sessions. */
export async function startSite(
  sessions: SessionFixture[],
  {
    me,
    health,
    exampleAlert,
    ...options
  }: SiteOptions & Pick<Fixtures, 'me' | 'health' | 'exampleAlert'> = {},
) {
  const site = await serveSite(
    { sessions, ...(me && { me }), ...(health && { health }), ...(exampleAlert && { exampleAlert }) },
    options,
  );
  onTestFinished(site.stop);
  return site;
}
