// The page of schedules: next time, result of the latest run, times without one, and what responders do.

import { expect, it } from 'vitest';
import { listViolations } from './support/axe.ts';
import { describeInBrowser, open, startSite } from './support/chromium.ts';
import { checked } from './support/sessions.ts';

describeInBrowser('the page of schedules', () => {
  it('shows next time, latest result and missed times, and pauses and resumes', async () => {
    const site = await startSite([checked()]);
    const { page, faults } = await open(site, '/schedules');
    const item = (name: string) => page.locator('main ul > li', { has: page.getByRole('heading', { name }) });
    await item('nightly').getByText('Needs attention').waitFor();
    expect(
      await item('nightly')
        .getByRole('link', { name: /Session/ })
        .getAttribute('href'),
    ).toBe('/s/2026-11-23-backups-3f2a1c');
    const paused = await item('certificates').innerText();
    expect(paused).toMatch(/Paused\s+by kim/);
    expect(paused).toContain('2 times missed, 1 skipped during another run');
    await item('capacity').getByText('none yet').waitFor();
    await item('certificates').getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Resumed').waitFor();
    await item('nightly').getByRole('button', { name: 'Run now' }).click();
    await expect
      .poll(() => site.api.posted.map(({ path }) => decodeURIComponent(path)))
      .toEqual(['/v1/schedules/certificates/resume', '/v1/schedules/nightly/run']);
    expect(await listViolations(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('offers a viewer no act', async () => {
    const site = await startSite([checked()], { me: { name: 'kim', role: 'viewer' } });
    const { page } = await open(site, '/schedules');
    await page.getByText('Needs attention').waitFor();
    expect(
      await page
        .locator('main')
        .getByRole('button', { name: /Run now|Pause|Resume/ })
        .count(),
    ).toBe(0);
  });
});
