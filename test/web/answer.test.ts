// From the answer to what it rests on: root cause, command, tools, sources, links to steps.

import { expect, it } from 'vitest';
import { withPart } from '../../shared/core/schema/parts.ts';
import { verdictPart } from '../../shared/evidence/schema/verdict.ts';
import { makeExecution } from '../../web/fixtures/make.ts';
import { sampleVerdict } from '../support/samples.ts';
import { listViolations } from './support/axe.ts';
import { describeInBrowser, open, PHONE, startSite } from './support/chromium.ts';
import {
  addressOf,
  ended,
  failed,
  moveToNow,
  research,
  sampled,
  structured,
  team,
  unpriced,
} from './support/sessions.ts';

describeInBrowser('the answer', () => {
  it('is on the screen of a phone without scrolling, and its command one tap away', async () => {
    const session = ended();
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session), PHONE);
    const cause = page.getByText('raised the quote cache from 20,000').last();
    await cause.waitFor();
    const parts = page.getByRole('navigation', { name: 'Parts of the session' });
    await parts.waitFor();
    const bar = await parts.boundingBox();
    // The sentence of the verdict has the cause.
    const sentence = page.getByText(/^Confirmed\. Pod checkout/).first();
    await expect
      .poll(async () => (await sentence.boundingBox())?.y ?? 9_999)
      .toBeLessThan((bar?.y ?? 0) - 40);
    await page.getByRole('link', { name: 'What to do now' }).tap();
    const copy = page.getByRole('button', { name: /Copy the command kubectl/ }).last();
    await expect.poll(async () => (await copy.boundingBox())?.y ?? 9_999).toBeLessThan(bar?.y ?? 0);
    await copy.tap();
    const read = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(read).toBe('kubectl -n shop rollout undo deployment/checkout --to-revision=7');
    // A command stands in a box of its own: no punctuation is left alone after it.
    expect(session.session.finalAnalysis).toMatch(/--to-revision=7`\./);
    const after = await page
      .locator('#analysis [class*=_command_]')
      .evaluateAll((all) => all.map((one) => one.nextSibling?.textContent?.trim() ?? ''));
    expect(after.filter((text) => /^[.,;:]/.test(text))).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('shows the fields of a structured answer as a card below its text, with a command that can be copied', async () => {
    const session = structured();
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session), PHONE);
    const card = page.getByLabel('Fields of the answer');
    await card.getByText('rollback').waitFor();
    expect(await card.textContent()).toContain('fact the cache grew');
    expect(await page.locator('#analysis').textContent()).not.toContain('**rollback**');
    await card.getByRole('button', { name: /Copy the command kubectl/ }).tap();
    const read = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(read).toBe('kubectl -n shop rollout undo deployment/checkout');
    expect(await listViolations(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('leads from the name of a tool to its call, also when the address is opened again', async () => {
    const session = ended();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    await page.getByRole('link', { name: 'get_logs, iteration 2' }).click();
    const isThere = () =>
      page.evaluate(() => {
        const row = document.activeElement;
        const box = row?.getBoundingClientRect();
        const isSeen = box !== undefined && box.top >= 0 && box.top < innerHeight;
        const isOpen = row?.querySelector('[data-number="12"]') !== null;
        return row?.textContent?.includes('get_logs') === true && isSeen && isOpen;
      });
    await expect.poll(isThere).toBe(true);
    expect(page.url()).toMatch(/#e-01-kubernetes-investigator\.10$/);
    await page.reload();
    await expect.poll(isThere).toBe(true);
  });

  it('leads from a value to the line of a result that has it, and back', async () => {
    const session = ended();
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session));
    const claim = page.getByRole('link', { name: '09:35:53', exact: true });
    await claim.click();
    const line = page.locator('[class*=markedLine]');
    await line.waitFor();
    expect(await line.innerText()).toContain('entries=100452');
    await page.getByRole('link', { name: 'Back to the claim' }).click();
    await expect.poll(() => claim.evaluate((link) => link === document.activeElement)).toBe(true);
    expect(faults).toEqual([]);
  });

  it('has a list of calls where a tool was called more than once', async () => {
    const session = ended();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    await page.getByRole('button', { name: 'All 2 calls of rollout_history' }).click();
    const links = page.locator('[popover]:popover-open a');
    await expect.poll(() => links.count()).toBe(2);
    await page.keyboard.press('Escape');
    await expect.poll(() => links.count()).toBe(0);
  });

  it('marks the lines of a result that the address names', async () => {
    const session = ended();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session, '#e-01-kubernetes-investigator.8:L18-L20'));
    const lines = page.locator('[class*=markedLine]');
    await expect.poll(() => lines.count()).toBe(3);
    expect(await lines.first().locator('a').getAttribute('data-number')).toBe('18');
  });

  it('has the number of each source right after the cited words', async () => {
    const session = research();
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session));
    const marks = page.locator('#analysis [data-citation]');
    await marks.first().waitFor();
    const before = await marks.evaluateAll((all) =>
      all.map((mark) => ({ number: mark.dataset.citation, before: mark.previousSibling?.textContent ?? '' })),
    );
    const final = session.events
      .filter((event) => event.eventType === 'final_analysis')
      .find(({ content }) => content === session.session.finalAnalysis);
    const citations = final?.metadata.citations ?? [];
    expect(before.length).toBe(citations.length);
    const cited = citations.flatMap(({ citedText }) => citedText?.slice(-20) ?? []);
    for (const { before: text } of before.filter(({ before: words }) => words.length > 20))
      expect(
        cited.some((end) => text.endsWith(end)),
        text,
      ).toBe(true);
    // A person who copies the text does not get 72 for the value 7 with source 2.
    const copied = await page.evaluate(() => {
      getSelection()?.selectAllChildren(document.querySelector('#analysis') ?? document.body);
      return String(getSelection());
    });
    expect(copied.match(/\[\d+\]/g)?.length).toBeGreaterThanOrEqual(before.length);
    const target = await marks.first().evaluate((mark) => {
      const { left, top, width, height } = mark.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      const isHit = (dx: number, dy: number) => document.elementFromPoint(x + dx, y + dy) === mark;
      return [-11.5, 11.5].every((far) => isHit(far, 0) && isHit(0, far));
    });
    expect(target).toBe(true);
    await marks.first().click();
    await page.locator('[popover]:popover-open').waitFor();
    await page.keyboard.press('Escape');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-citation')))
      .toBe('1');
    expect(faults).toEqual([]);
  });

  it('is, where there is none, the error and its remedy', async () => {
    const session = failed();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session), PHONE);
    const text = () => page.locator('#analysis').innerText();
    await expect.poll(text).toContain('MODEL_CREDENTIALS');
    await expect.poll(text).toContain('set GEMINI_API_KEY');
    await expect.poll(text).toContain('kubernetes-investigator looked at the events of the pod.');
    const work = page.locator('#analysis', { has: page.getByText('Partial result') });
    expect(await work.innerText()).not.toMatch(/###|\{"|→/);
    await work.getByRole('link', { name: 'get_events' }).waitFor();
    await page.getByRole('link', { name: 'Show the step' }).click();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toContain('The agent stopped.');
    // Its sentence stands once at the top, and the next thing to do is the main button.
    expect((await page.locator('#analysis').innerText()).split('the model refused the key')).toHaveLength(2);
    const colorOf = (name: RegExp) =>
      page.getByRole('button', { name }).evaluate((one) => getComputedStyle(one).backgroundColor);
    expect(await colorOf(/Run again/)).not.toBe(await colorOf(/Share/));
    await page.locator('#analysis').getByRole('link', { name: 'MODEL_CREDENTIALS' }).click();
    const entry = page.locator('#MODEL_CREDENTIALS');
    await expect.poll(() => entry.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await entry.innerText()).toContain('What to do');
    expect(await listViolations(page)).toEqual([]);
  });

  it('draws the samples of a result, with the alert, the threshold, and the values of a time', async () => {
    const session = sampled('address');
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session), { timezoneId: 'UTC' });
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    const steps = page.getByRole('button', { name: /prometheus_query/ });
    await steps.nth(2).waitFor();
    expect(loaded.filter((url) => url.includes('/Samples-'))).toEqual([]);
    await steps.nth(0).click();
    const chart = page.getByRole('slider');
    await chart.waitFor();
    expect(await chart.getAttribute('aria-label')).toBe(
      'Chart of 2 series from 17 Nov 2026, 08:40:00 UTC to 17 Nov 2026, 09:40:00 UTC, values from 110 MB to 251 MB, alert at 17 Nov 2026, 09:36:42 UTC, threshold > 200 MB',
    );
    const row = page.getByRole('row', { name: /x2kqp/ });
    expect((await row.innerText()).split(/\s*\t\s*/).slice(1)).toEqual(['251 MB', '110 MB to 251 MB', '13']);
    await chart.hover({ position: { x: 2, y: 60 } });
    await page.getByText('17 Nov 2026, 08:40:00 UTC', { exact: true }).waitFor();
    expect(await row.innerText()).toContain('110 MB\t110 MB to');
    await chart.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await expect
      .poll(() => chart.getAttribute('aria-valuetext'))
      .toBe(
        '17 Nov 2026, 09:35:00 UTC: pod checkout-7d9c6bf8d4-9wz4m 112.1 MB; pod checkout-7d9c6bf8d4-x2kqp 251 MB',
      );
    const lines = page.locator('[data-samples] path[d^=M][d*=L]');
    expect(await lines.count()).toBe(2);
    await row.getByRole('checkbox').uncheck();
    await expect.poll(() => lines.count()).toBe(1);
    // The text stays.
    await page.getByRole('region', { name: 'Result' }).getByText('"resultType":"matrix"').waitFor();
    await steps.nth(1).click();
    await page.getByText('17 Nov 2026, 09:40:00 UTC · threshold: > 200 MB').waitFor();
    await steps.nth(2).click();
    await page.getByRole('button', { name: /^Draw the samples/ }).click();
    await page.getByText('8 series of 200 drawn, at most 8 at once.').waitFor();
    await page.getByText('only the samples before the cut are drawn').waitFor();
    expect(await listViolations(page)).toEqual([]);
    expect(faults).toEqual([]);
    const other = sampled('body');
    const onPhone = await open(await startSite([other]), addressOf(other), PHONE);
    await onPhone.page
      .getByRole('button', { name: /prometheus_query/ })
      .first()
      .tap();
    await onPhone.page.getByText('· threshold: > 200 MB').waitFor();
    await onPhone.page.getByRole('slider').tap({ position: { x: 3, y: 40 } });
    await onPhone.page.getByRole('row', { name: /x2kqp 110 MB/ }).waitFor();
    expect(await onPhone.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });

  it('shows an unknown price as unknown, never as 0', async () => {
    const session = unpriced(moveToNow(team()));
    const site = await startSite([session, moveToNow(ended())]);
    const { page } = await open(site, addressOf(session));
    await expect.poll(() => page.locator('#facts').innerText()).toContain('unknown for this model');
    await page.goto(`${site.url}/`);
    await expect
      .poll(() => page.locator('main').innerText())
      .toMatch(/2 in 24 hours, at least \$0\.0\d+ \(1 unknown\)/);
    await expect
      .poll(() => page.locator('main li', { hasText: 'Containers restart' }).innerText())
      .toContain('cost unknown');
  });
});

describeInBrowser('an answer to a question', () => {
  it('leads from the name of a tool to its call, and from a value to its line', async () => {
    const session = ended();
    const [stage] = session.stages;
    if (stage === undefined) throw new Error('the session has no agent');
    const finalAnalysis = '`get_logs` shows 100,452 entries.';
    session.stages.push({ ...stage, stageId: '09-chat', index: 9, name: 'chat', kind: 'chat' });
    const chat = { stageId: '09-chat', executionId: '09-chat', finalAnalysis, toolCalls: 0 };
    session.executions.push(makeExecution(session, chat));
    const { page } = await open(await startSite([session]), addressOf(session, '/ask'));
    const answer = page.locator('#facts li', { hasText: 'shows' });
    await answer.getByRole('link', { name: '100,452' }).waitFor();
    const href = await answer.getByRole('link', { name: /^get_logs, iteration/ }).getAttribute('href');
    const called = session.events.find(
      (event) => event.eventType === 'llm_tool_call' && event.metadata.toolName.endsWith('get_logs'),
    );
    expect(href).toBe(`#e-${called?.executionId}.${called?.sequenceNumber}`);
  });
});

describeInBrowser('a chat that failed', () => {
  it('states its error once, at the question, without empty steps', async () => {
    const session = failed();
    const { failure } = session.session;
    for (const stage of session.stages) stage.kind = 'chat';
    for (const one of session.executions) Object.assign(one, { finalAnalysis: null, failure, toolCalls: 0 });
    Object.assign(session.session, { kind: 'chat', parts: {}, input: null, partial: null });
    const { page, faults } = await open(await startSite([session]), addressOf(session), PHONE);
    await page.getByRole('heading', { name: 'Questions' }).waitFor();
    expect((await page.locator('main').innerText()).split(failure?.message ?? '-')).toHaveLength(2);
    expect(await page.getByText('0 stages').count()).toBe(0);
    // Each link of the bar leads somewhere.
    const places = page.getByRole('navigation', { name: 'Parts of the session' }).locator('a[href^="#"]');
    for (const place of await places.all())
      expect(await page.locator((await place.getAttribute('href')) ?? '').count()).toBe(1);
    expect(faults).toEqual([]);
  });
});

describeInBrowser('agents that others asked', () => {
  it('stand between their call and its answer, without sideways scrolling at 320 pixels', async () => {
    const session = team();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session), { viewport: { width: 320, height: 700 } });
    await page.getByText('Question for log-reader').waitFor();
    await page.locator('[id="e-01-lead.4"]').waitFor();
    const ids = await page.locator('#steps [data-row]').evaluateAll((rows) => rows.map(({ id }) => id));
    const at = (id: string) => ids.indexOf(id);
    expect(at('e-01-lead~1.2')).toBeGreaterThan(at('e-01-lead.2'));
    expect(at('e-01-lead~1.2')).toBeLessThan(at('e-01-lead.4'));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  });
});

describeInBrowser('the verdict of an analysis', () => {
  it('shows hypotheses with evidence for and against, excluded evidence with its reason, and values that were not found', async () => {
    const session = ended();
    const result = session.events.find(({ eventType }) => eventType === 'tool_result');
    if (result?.eventType !== 'tool_result') throw new Error('the session has no result');
    const { executionId, metadata } = result;
    const at = { executionId, result: 'r1', callId: metadata.callId, line: 2, found: null };
    const item = {
      ...at,
      hypothesis: 'A',
      side: 'for',
      pointer: null,
      value: null,
      yields: 'text',
      speaks: 'text',
      contrast: 'open',
    } as const;
    const analysis = session.session.finalAnalysis ?? '';
    const shown = /\b256 ?Mi\b/.exec(analysis)?.[0] ?? '';
    const uncheckedEnd = analysis.indexOf(shown) + shown.length;
    const claims = {
      verdict: 'likely',
      sentence: 'Likely.',
      rule: 'texts',
      caps: [],
      isRecovered: false,
      unreadable: [],
      hypotheses: [
        {
          id: 'A',
          text: 'Release 1.42.0 fills the memory.',
          cause: true,
          component: 'k8s:shop-prod/shop/Deployment/checkout',
          mechanism: 'release',
        },
        {
          id: 'B',
          text: 'The node is full.',
          cause: false,
          component: 'node:a',
          mechanism: 'memory',
        },
      ],
      evidence: [
        { ...item, id: 'a.e1', quote: 'last state OOMKilled', state: 'held' },
        { ...item, id: 'a.e2', quote: 'node has 60 % free', state: 'held', hypothesis: 'B', side: 'against' },
        { ...item, id: 'a.e3', quote: 'memory 512 MiB', state: 'differs', found: 'memory 256 MiB <b>x</b>' },
      ],
      links: [{ text: 'The container was OOM-killed.', evidence: ['a.e1', 'a.e3'] }],
      values: [
        {
          text: '4,711 orders',
          kind: 'number',
          state: 'absent',
          end: uncheckedEnd,
          executionId: null,
          result: null,
          callId: null,
          line: null,
        },
        {
          text: '1 pod',
          kind: 'number',
          state: 'unchecked',
          end: -1,
          executionId: null,
          result: null,
          callId: null,
          line: null,
        },
        {
          text: '137',
          kind: 'number',
          state: 'held',
          end: -1,
          executionId,
          result: 'r1',
          callId: metadata.callId,
          line: 2,
        },
      ],
      outcome: {
        value: 'self_resolved',
        reason: 'a.p1 changed as stated without a recorded <b>action</b>.',
        nextCheckAt: '2026-11-28T21:00:00.000Z',
        probes: [
          {
            id: 'a.p1',
            tool: 'shop.memory',
            arguments: '{}',
            find: 'memory at',
            is: 'below',
            value: '400Mi',
            action: null,
          },
        ],
        checks: [{ startedAt: at.callId, endedAt: at.callId, results: [{ holds: true, why: null }] }],
      },
    };
    const causes = [{ component: 'k8s:shop-prod/shop/Deployment/checkout', mechanism: 'release' }];
    const verdict = sampleVerdict('likely', { rule: 'texts', causes });
    session.session = withPart(verdictPart, session.session, verdict);
    const answers = { [`GET /v1/sessions/${session.session.sessionId}/claims`]: claims };
    const { page, faults } = await open(await startSite([session], { answers }), addressOf(session));
    const panel = page.getByRole('region', { name: 'Verdict' });
    const cause = panel.getByRole('article').filter({ hasText: 'Cause: ' });
    await cause.getByText('another value stands there: memory 256 MiB <b>x</b>').waitFor();
    expect(await cause.locator('h3').innerText()).toMatch(/^Cause: \w+ of checkout \(shop, shop-prod\)$/);
    expect(await cause.locator('s').innerText()).toBe('memory 512 MiB');
    await panel.getByText('Outcome: resolved itself').waitFor();
    await panel.getByText('without a recorded <b>action</b>.').waitFor();
    await panel.getByText('shop.memory: "memory at" below 400Mi: holds').waitFor();
    expect(await panel.locator('mark').allInnerTexts()).toEqual(['4,711 orders', '1 pod']);
    await panel.getByText('In no result: 4,711 orders').waitFor();
    await panel.getByText('Could not be checked: 1 pod').waitFor();
    const marks = page.getByRole('region', { name: 'Analysis' }).locator('[data-missing=absent]');
    expect(await marks.count()).toBe(1);
    await page.emulateMedia({ media: 'print' });
    expect(await marks.isVisible()).toBe(true);
    const before = 'document.querySelector("[data-missing]").previousSibling.textContent';
    expect(await page.evaluate(before)).toMatch(new RegExp(`${shown}$`));
    // Links of the ledger only: the analysis is not searched for others.
    const linked = page.locator('#analysis [data-where]');
    expect(await linked.allInnerTexts()).toEqual(['last state OOMKilled', '137']);
    expect(await linked.last().getAttribute('href')).toBe(`#e-${executionId}.${result.sequenceNumber}:L2`);
    const evidence = `getComputedStyle(document.querySelector('#analysis [data-where]'), '::after').content`;
    expect(await page.evaluate(evidence)).toMatch(/line \d+/);
    await page.emulateMedia({ media: null });
    expect(await panel.innerText()).toMatch(/Likely[\s\S]*Against\s+node has 60 % free/);
    expect(await listViolations(page)).toEqual([]);
    for (const [width, height] of [
      [1440, 900],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      await panel.scrollIntoViewIfNeeded();
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      if (process.env.SHOTS) await panel.screenshot({ path: `${process.env.SHOTS}/verdict-${width}.png` });
    }
    await cause.getByRole('link', { name: 'last state OOMKilled' }).click();
    await expect.poll(() => page.url()).toMatch(/#e-.*:L2$/);
    expect(faults).toEqual([]);
  });
});
