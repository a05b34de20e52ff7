// A running system's dashboard: an alert appears, is followed, and gets its analysis.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { findExample } from '../../local/examples.ts';
import { scriptedModel } from '../../local/model.ts';
import { startSystem } from '../../local/system.ts';
import { describeInBrowser, open } from './support/chromium.ts';

/** A page of another origin that sends to an address whatever a browser lets it send. */
async function startHostilePage(target: string): Promise<string> {
  const push = JSON.stringify({ message: { data: btoa('{"title":"planted"}'), messageId: '1' } });
  const page = `<!doctype html><meta charset="utf-8"><title>sending</title>
    <iframe name="one"></iframe><iframe name="two"></iframe><img src="${target}">
    <form method="post" action="${target}" target="one"><input name="message[data]" value="e30="></form>
    <form method="post" action="${target}" target="two" enctype="text/plain">
      <input name='${push.slice(0, -1)},"x":"' value='"}'></form>
    <script>
      const body = ${JSON.stringify(push)};
      const send = (options) => fetch(${JSON.stringify(target)}, { method: 'POST', body, ...options }).catch(() => {});
      (async () => {
        await send({ mode: 'no-cors' });
        await send({ mode: 'no-cors', headers: { 'content-type': 'text/plain' } });
        await send({ headers: { 'content-type': 'application/json' } });
        navigator.sendBeacon(${JSON.stringify(target)}, new Blob([body], { type: 'text/plain' }));
        const shown = (form) => new Promise((done) => {
          document.querySelector('[name=' + form.target + ']').onload = done;
          form.submit();
        });
        await Promise.all([...document.forms].map(shown));
        document.title = 'sent';
      })();
    </script>`;
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(page));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** How many sessions there are. */
async function sessionCount(api: string): Promise<number> {
  const answer = await fetch(`${api}/v1/sessions`);
  return ((await answer.json()) as { sessions: unknown[] }).sessions.length;
}

describeInBrowser('the dashboard of a system', () => {
  it('shows an alert from its publication to its analysis, and nothing that another page sends to the functions', async () => {
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
    await page.getByText('No sessions yet.').waitFor();

    const path = `/projects/${system.projectId}/topics/alerts`;
    const hostile = await startHostilePage(`${system.endpoints.ingestAlert}${path}`);
    const attack = await open({ url: hostile }, '/');
    // A form's answer is shown where it was refused; where it was taken, a session appears.
    const isOver = async () => (await attack.page.title()) === 'sent' || (await sessionCount(url)) > 0;
    await expect.poll(isOver).toBe(true);
    expect(await sessionCount(url)).toBe(0);
    const published = await fetch(`${url}/v1/alerts`, {
      method: 'POST',
      body: readFileSync(example.alertFile),
    });
    expect(published.status).toBe(202);
    const row = page.locator('main li a[href^="/s/"]').first();
    await row.waitFor();
    expect(await page.locator('main li').count(), 'sessions: none of the hostile page').toBe(1);
    await row.click();
    await page.getByRole('heading', { name: 'Root cause' }).waitFor();
    await page.getByText('Completed', { exact: true }).first().waitFor();
    expect(await page.locator('article').count()).toBe(2);
    await page.getByRole('button', { name: 'Right' }).click();
    await page.getByText('Feedback stored.').waitFor();
    await page.getByRole('link', { name: 'Sessions' }).first().click();
    await expect.poll(() => page.locator('main li').first().innerText()).toContain('Completed');
    expect(faults).toEqual([]);
  });
});
