// What a reader chose to see of a session, what is known of the calls of models, and what the alert was.

import { expect, it } from 'vitest';
import { describeInBrowser, open, startSite } from './support/chromium.ts';
import { addressOf, ended, long, parallel, running, team } from './support/sessions.ts';

describeInBrowser('steps', () => {
  it('are narrowed to an agent and to a tool, and the address contains both', async () => {
    const session = parallel();
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session));
    const lanes = page.locator('article');
    await expect.poll(() => lanes.count()).toBe(2);
    await page.getByLabel('By agent').selectOption('release-reviewer');
    await expect.poll(() => lanes.count()).toBe(1);
    await expect.poll(() => new URL(page.url()).search).toBe('?agent=release-reviewer');
    expect(await lanes.getAttribute('aria-label')).toBe('Agent B, release-reviewer');
    await page.reload();
    await expect.poll(() => lanes.count()).toBe(1);
    await page.getByLabel('By agent').selectOption('');
    await page.getByLabel('By tool').selectOption('list_pods');
    const rows = page.locator('#steps [data-row]');
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.innerText()).toContain('list_pods');
    await expect.poll(() => new URL(page.url()).search).toBe('?tool=list_pods');
    expect(faults).toEqual([]);
  });

  it('of an agent that others asked are shown below the call that asked it', async () => {
    const session = team();
    const child = session.executions.find(({ parentExecutionId }) => parentExecutionId !== null);
    const site = await startSite([session]);
    const { page } = await open(site, `${addressOf(session)}?agent=${child?.agentName}`);
    const rows = page.locator('#steps [data-row]');
    await rows.first().waitFor();
    const ids = await rows.evaluateAll((all) => all.map(({ id }) => id));
    const own = ids.filter((id) => id.startsWith(`e-${child?.executionId}.`));
    expect(own.length).toBeGreaterThan(1);
    const asking = ids.filter((id) => id.startsWith(`e-${child?.parentExecutionId}.`));
    expect(asking).toHaveLength(1);
    expect(ids[0]).toBe(asking[0]);
  });

  it('keep which iterations were folded, in the address', async () => {
    const session = ended();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    const blocks = page.locator('#steps button[data-iteration]');
    await blocks.nth(1).click();
    const expanded = () =>
      blocks.evaluateAll((all) => all.map((one) => one.getAttribute('aria-expanded') === 'true'));
    await expect.poll(expanded).toEqual([true, false, true, true]);
    await expect.poll(() => new URL(page.url()).search).not.toBe('');
    await page.reload();
    await expect.poll(expanded).toEqual([true, false, true, true]);
    await blocks.nth(1).click();
    await expect.poll(() => new URL(page.url()).search).toBe('');
  });
});

describeInBrowser('calls of models', () => {
  it('show their duration and cost when a reader wants to know', async () => {
    const session = ended();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    const fact = page.getByText('finish reason STOP').first();
    await page.locator('#steps [data-row]').first().waitFor();
    expect(await fact.count()).toBe(0);
    await page.getByRole('button', { name: 'Tokens and cost' }).click();
    await fact.waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('?calls=1');
    expect(await fact.innerText()).toMatch(/^scripted gemini-\S+ · \d+ ms · [\d,]+ input .* · \$0\.\d+ · /);
    await page.reload();
    await fact.waitFor();
  });

  it('always show that they were asked more than once, and why', async () => {
    const session = ended();
    const first = session.interactions.find(({ executionId }) => executionId.endsWith('investigator'));
    if (first === undefined) throw new Error('the session has no call');
    Object.assign(first, { attempts: 3, attemptErrors: ['503 <b>overloaded</b>', 'no answer in 60 s'] });
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    await page.getByText('3 attempts').click();
    await page.getByText('503 <b>overloaded</b>').waitFor();
  });

  it('are marked in the waterfall while their iteration is on the screen', async () => {
    const session = long();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    await page.locator('#steps button[data-iteration]').nth(150).scrollIntoViewIfNeeded();
    const seen = page.locator('#facts li[data-seen=true]');
    await expect.poll(() => seen.allTextContents().then((all) => all.join())).toContain('151 Model');
    await expect
      .poll(() => seen.allTextContents().then((all) => all.some((line) => line.startsWith('1 '))))
      .toBe(false);
  });
});

describeInBrowser('stages', () => {
  it('that have not started are named, with their agents', async () => {
    const session = running();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    const coming = page.getByRole('region', { name: 'Synthesis' });
    await coming.waitFor();
    expect(await coming.innerText()).toContain('synthesizer');
    expect(await coming.innerText()).toContain('Starts after');
    await expect.poll(() => page.getByText('stage 1 of 2').count()).toBe(1);
  });
});

describeInBrowser('the alert', () => {
  it('is shown as it came, and as agents see it, when a reader unfolds it', async () => {
    const session = ended();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.getByText('Original', { exact: true }).click();
    const body = page.getByRole('region', { name: 'The original alert, with secrets masked' });
    await body.waitFor();
    expect(await body.innerText()).toContain('"receiver": "inquest"');
    await page.getByText('As sent to agents', { exact: true }).click();
    await page.getByRole('region', { name: 'The alert as sent to agents' }).waitFor();
    expect(asked.filter((path) => path.endsWith('/alert'))).toHaveLength(1);
  });
});

describeInBrowser('the list', () => {
  it('finds the same as the API: words of an analysis that no row shows', async () => {
    const session = ended();
    const site = await startSite([session, parallel()]);
    const { page } = await open(site, '/');
    const rows = page.locator('main ul > li');
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByLabel('Find sessions').fill('QUOTE_CACHE_TTL');
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.innerText()).toContain('KubePodCrashLooping');
    await page.getByLabel('Find sessions').fill('nowhere at all');
    await page.getByText('No session matches these filters').waitFor();
  });
});

describeInBrowser('an agent of a session', () => {
  it('leads to its configuration of that time, and shows the changes since', async () => {
    const session = ended();
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session));
    await page.locator('#steps').getByRole('link', { name: 'kubernetes-investigator' }).click();
    await page.getByText(/Changed since then: .*instructions/).waitFor();
    await page.getByRole('heading', { name: 'Instructions' }).waitFor();
    await page.getByRole('link', { name: /^Current / }).click();
    await page.getByText('As configured').waitFor();
    await page.getByRole('link', { name: 'kubernetes', exact: true }).click();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await expect.poll(() => page.getByLabel('By chain').inputValue()).toBe('kubernetes');
    expect(faults).toEqual([]);
  });
});
