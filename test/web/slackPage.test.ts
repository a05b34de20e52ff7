// `start --slack`: a person approves a call and asks a question on the page of the stand-in, and the system
// does both; and asks without an alert. With SHOTS=FOLDER it also takes the pictures of the READMEs of
// shared/features/deliveries and ask.

import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished, vi } from 'vitest';
import { showSlack } from '../../cli/system/showSlack.ts';
import { findExample } from '../../local/examples.ts';
import { scriptedModel } from '../../local/model.ts';
import { startSystem } from '../../local/system.ts';
import { describeInBrowser, open } from './support/chromium.ts';

const ANSWER = `conversations:
  - name: question
    when: { question: Did the restart run }
    turns:
      - text: |
          **Yes.** restart_deployment ran after the approval. It ends the back-off; the limit of \`256Mi\` is unchanged.`;
const INVESTIGATED = `conversations:
  - name: asked
    when: { user: 'The question: why is checkout slow' }
    turns:
      - text: |
          **Checkout waits for db-1**, which has had no free connection since 10:02 UTC.

          **Evidence**: the message of Grafana in this thread. Not checked: the release at 09:58 UTC.`;
const SUMMARY = `summary:
  text: |
    Checkout waits for db-1, which has had no free connection since 10:02 UTC.
`;
/** Browsers of servers have no font for these. */
const MARKS =
  '[\\u2139\\u23f8\\u23f9\\u231b\\u270b\\u2705\\u274c\\u2754]\\ufe0f?|\\ud83d[\\udd0e\\udd25\\udc40]|\\ud83e\\uddea';

describeInBrowser('the page of the stand-in for Slack', () => {
  /**
   * A system whose configuration is that of an example.
   * @param answers conversations before those of it.
   * @param summary default: its own.
   */
  async function start(answers: string, summary = '$&') {
    const example = findExample('approval');
    vi.stubEnv('PATH', `${dirname(process.execPath)}${delimiter}${process.env.PATH}`);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const slack = await showSlack(example.configFolder);
    onTestFinished(() => slack.stop());
    const scriptFile = join(slack.configFolder, 'model-of-test.yaml');
    writeFileSync(
      scriptFile,
      readFileSync(example.scriptFile, 'utf8')
        .replace(/^for: .*/m, '')
        .replace('conversations:', answers)
        .replace(/^summary:[\s\S]*/m, summary),
    );
    const model = await scriptedModel({ scriptFile, why: 'an example with a question' });
    onTestFinished(() => model.stop());
    const env = { ...model.env, INQUEST_CONFIG: slack.configFolder };
    // Other systems use the same emulators.
    const system = await startSystem({ env, api: true, projectId: `demo-slack-${process.pid}` });
    onTestFinished(() => system.stop());
    const api = system.endpoints.api ?? '';
    slack.connect(api);
    return { slack, api };
  }

  /** Takes a picture where SHOTS names a folder. */
  async function shoot(page: Page, name: string): Promise<void> {
    if (!process.env.SHOTS) return;
    await page.evaluate(
      `for (const one of document.querySelectorAll('h2')) one.textContent = one.textContent.replace(/${MARKS}/g, '●')`,
    );
    await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
  }

  it('has the answer to a question without an alert in the thread of its message', async () => {
    const { slack } = await start(INVESTIGATED, SUMMARY);
    const viewport = { width: 780, height: 500 };
    const { page } = await open({ url: slack.url.slice(0, -1) }, '/', { viewport });
    await page.getByLabel('Message that mentions the app').fill('why is checkout slow since ten?');
    await page.getByRole('button', { name: 'Ask' }).click();
    const thread = page.locator('article', { hasText: '@inquest why is checkout slow' }).locator('article');
    await thread.getByText('which has had no free connection').first().waitFor();
    await thread.getByText('edited once').waitFor();
    await shoot(page, 'slack-ask');
  });

  it('approves the call of an investigation, and has the answer to a question in its thread', async () => {
    const { slack, api } = await start(ANSWER);
    const published = await fetch(`${api}/v1/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        title: 'KubeDeploymentReplicasMismatch: checkout has 1 of 3 replicas',
        severity: 'critical',
        labels: { namespace: 'shop', deployment: 'checkout' },
      }),
    });
    expect(published.status).toBe(202);
    const viewport = { width: 780, height: 1200 };
    const { page } = await open({ url: slack.url.slice(0, -1) }, '/', { viewport });
    await page.getByText('Approval needed').first().waitFor();
    await shoot(page, 'slack-approval');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved by you@example.com: kubernetes.restart_deployment').first().waitFor();
    await page.getByText('Root cause').first().waitFor();
    const link = await page.getByRole('link', { name: 'Open in Inquest' }).first().getAttribute('href');
    expect(link).toMatch(new RegExp(`^${api}/s/[a-z0-9-]+$`));
    expect((await fetch(link ?? '')).status).toBe(200);
    await page.getByLabel('Reply that mentions the app').fill('Did the restart run?');
    await page.getByRole('button', { name: 'Reply' }).click();
    await page.getByText('restart_deployment ran after the approval.').first().waitFor();
    await shoot(page, 'slack-thread');
    // The title is one long word on the screen of a phone.
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });
});
