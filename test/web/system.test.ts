// The dashboard of a system that runs: an alert that is published appears, is followed, and has its analysis without a reload.

import { readFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { findExample } from '../../local/examples.ts';
import { scriptedModel } from '../../local/model.ts';
import { startSystem } from '../../local/system.ts';
import { describeInBrowser, open } from './support/chromium.ts';

describeInBrowser('the dashboard of a system', () => {
  it('shows an alert from its publication to its analysis, under the policy of the API', async () => {
    const example = findExample('synthesis');
    // The commands of its tools are looked for in the PATH.
    vi.stubEnv('PATH', `${dirname(process.execPath)}${delimiter}${process.env.PATH}`);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const model = await scriptedModel({ scriptFile: example.scriptFile, why: 'an example' });
    onTestFinished(() => model.stop());
    const system = await startSystem({
      env: { ...model.env, INQUEST_CONFIG: example.configFolder },
      api: true,
    });
    onTestFinished(() => system.stop());
    const url = system.endpoints.api ?? '';
    const { page, faults } = await open({ url }, '/');
    await page.getByText('There is no session yet.').waitFor();
    const published = await fetch(`${url}/v1/alerts`, {
      method: 'POST',
      body: readFileSync(example.alertFile),
    });
    expect(published.status).toBe(202);
    const row = page.locator('main li a[href^="/s/"]').first();
    await row.click();
    await page.getByRole('heading', { name: 'Root cause' }).waitFor();
    await page.getByText('Completed', { exact: true }).first().waitFor();
    expect(await page.locator('article').count()).toBe(2);
    await page.getByRole('button', { name: 'Right' }).click();
    await page.getByText('Thank you, it is stored.').waitFor();
    await page.getByRole('link', { name: 'Sessions' }).first().click();
    await expect.poll(() => page.locator('main li').first().innerText()).toContain('Completed');
    expect(faults).toEqual([]);
  });
});
