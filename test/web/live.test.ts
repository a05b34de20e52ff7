// A session that goes on while it is looked at: order, places that do not move, connections that are lost.

import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Approval } from '../../shared/core/schema/approval.ts';
import { NOT_STEERED } from '../../shared/core/schema/session.ts';
import type { TimelineEvent } from '../../shared/core/schema/timelineEvent.ts';
import { approvalType, paths } from '../../shared/lists/documents.ts';
import { openedToday, stored } from '../../web/dev/fixtures.ts';
import { describeInBrowser, disconnectUntilPressed, isInView, open, startSite } from './support/chromium.ts';
import { addressOf, ended, parallel, running, waiting } from './support/sessions.ts';
import { readShifts, recordShifts } from './support/shifts.ts';

const rowIds = (page: Page) =>
  page.locator('#steps [data-row]').evaluateAll((rows) => rows.map(({ id }) => id));

/** An event of an agent of a session that runs. */
function eventOf(
  session: ReturnType<typeof running>,
  number: number,
  part: Partial<TimelineEvent>,
): TimelineEvent {
  const [base] = session.events.filter(({ executionId }) => executionId === '01-release-reviewer');
  return {
    ...base,
    sequenceNumber: number,
    iteration: 2,
    eventType: 'llm_thinking',
    metadata: { source: 'react' },
    createdAt: new Date(),
    content: `step ${number}`,
    ...part,
  } as TimelineEvent;
}

const storedApproval = (approval: Approval) =>
  stored(paths.approval(approval.approvalId), approvalType, approval);

function callOf(session: ReturnType<typeof running>, number: number): [TimelineEvent, TimelineEvent] {
  const callId = `late-${number}`;
  const tool = { toolName: 'kubernetes.get_logs', callId };
  return [
    eventOf(session, number, {
      eventType: 'llm_tool_call',
      metadata: { ...tool, arguments: `{"pod":"checkout-${number}"}` },
    }),
    eventOf(session, number + 1, {
      eventType: 'tool_result',
      metadata: { ...tool, isError: false, truncated: false, durationMs: 12 },
      content: `result of ${number}`,
    }),
  ];
}

describeInBrowser('what a model says while it speaks', () => {
  it('stands where it belongs, grows, and makes place for the stored answer', async () => {
    const session = running();
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session));
    const id = session.session.sessionId;
    await page.locator('#steps [data-row]').first().waitFor();
    const before = await rowIds(page);
    const live = { executionId: '01-release-reviewer', iteration: 2 };
    await site.api.say(id, { ...live, thinking: 'The release', text: '', ended: false });
    await page.getByText('The release').first().waitFor();
    await site.api.say(id, {
      ...live,
      thinking: 'The release',
      text: '**Revision 8** <b>grows</b>',
      ended: false,
    });
    const spoken = page.locator('[aria-busy="true"]', { hasText: /^Revision 8 <b>grows<\/b>$/ });
    await spoken.waitFor();
    await site.api.push(
      eventOf(session, 4, {
        eventType: 'llm_response',
        metadata: {},
        content: 'Revision 8 grows without end.',
      }),
    );
    await site.api.say(id, { ...live, thinking: '', text: '', ended: true });
    await spoken.waitFor({ state: 'detached' });
    await page.getByText('Revision 8 grows without end.').first().waitFor();
    await expect.poll(() => page.getByText('streaming').count()).toBe(0);
    expect((await rowIds(page)).slice(0, before.length)).toEqual(before);
    expect(faults).toEqual([]);
  });
});

describeInBrowser('a session that runs', () => {
  it('moves nothing under a reader who follows, also when the analysis arrives, and leads to it', async () => {
    const session = running();
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session));
    const id = session.session.sessionId;
    await page.locator('[data-now-row]').waitFor();
    await page.locator('#steps [data-row]').nth(1).waitFor();
    // The times of model calls are read last.
    const times = page.locator('[data-iteration]').getByText(/^1 tool · \d+ ms$/);
    await expect.poll(() => times.count()).toBe(2);
    await page.keyboard.press('End');
    await page.evaluate(recordShifts);
    const live = { executionId: '01-release-reviewer', iteration: 2 };
    for (const iteration of [2, 3, 4, 5]) {
      for (let length = 1; length <= 4; length++) {
        const text = 'The quote cache grows without end. '.repeat(5 * length);
        await site.api.say(id, { ...live, iteration, thinking: '', text, ended: false });
        await page.locator('[aria-busy=true]').waitFor();
      }
      const [call, result] = callOf(session, iteration * 10);
      const content = 'The quote cache grows without end. '.repeat(20);
      const answer = { iteration, eventType: 'llm_response', content, metadata: {} } as const;
      await site.api.push(eventOf(session, iteration * 10 - 1, answer));
      await site.api.say(id, { ...live, iteration, thinking: '', text: '', ended: true });
      await site.api.push({ ...call, iteration });
      await site.api.push({ ...result, iteration });
      await page
        .locator(`[id="e-01-release-reviewer.${iteration * 10}"]`)
        .getByText('12 ms')
        .waitFor();
    }
    const last = page.locator('[id="e-01-release-reviewer.50"]');
    const topOfLast = () => last.evaluate((row) => row.getBoundingClientRect().top);
    const before = await topOfLast();
    const whole = parallel().session;
    await site.api.change(id, {
      status: 'completed',
      endedAt: new Date(),
      finalAnalysis: whole.finalAnalysis,
      executiveSummary: whole.executiveSummary,
    });
    const pill = page.getByRole('button', { name: /Analysis ready/ });
    await pill.waitFor();
    expect(Math.abs((await topOfLast()) - before)).toBeLessThanOrEqual(1);
    expect(await readShifts(page)).toEqual([]);
    await expect
      .poll(() => page.locator('[role=alert]').first().textContent())
      .toBe('Analysis ready. Press g, then a. The session has ended: Completed.');
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await expect.poll(() => isInView(page, '#analysis-title')).toBe(true);
    await expect.poll(() => pill.count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('ends for a reader who follows among its steps, also when their text and the session end in one frame', async () => {
    const session = running();
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session));
    const id = session.session.sessionId;
    const sentence = 'The quote cache grows without end.';
    await page.locator('#steps [data-row]').nth(1).waitFor();
    await page.keyboard.press('End');
    for (let number = 4; number < 10; number++) {
      const content = `${sentence} `.repeat(20);
      const step = { iteration: number - 1, eventType: 'llm_response', content, metadata: {} } as const;
      await site.api.push(eventOf(session, number, step));
    }
    await expect.poll(() => page.getByText(sentence).count()).toBeGreaterThanOrEqual(6);
    const live = { executionId: '01-release-reviewer', iteration: 9 };
    await site.api.say(id, { ...live, thinking: '', text: `${sentence}\n`.repeat(12), ended: false });
    await page.locator('[aria-busy=true]').waitFor();
    const partOfScreen = () =>
      page.evaluate(
        () => (document.getElementById('steps-end')?.getBoundingClientRect().top ?? 0) / innerHeight,
      );
    await expect.poll(partOfScreen).toBeLessThanOrEqual(1);
    await page.evaluate(() => {
      const { requestAnimationFrame } = window;
      const waiting: FrameRequestCallback[] = [];
      window.requestAnimationFrame = (call) => waiting.push(call);
      const draw = () => {
        Object.assign(window, { requestAnimationFrame });
        for (const call of waiting) requestAnimationFrame(call);
      };
      Object.assign(window, { draw });
    });
    const answer = { iteration: 9, eventType: 'llm_response', content: 'It grows.', metadata: {} } as const;
    await site.api.push(eventOf(session, 12, answer));
    await site.api.say(id, { ...live, thinking: '', text: '', ended: true });
    const { finalAnalysis, executiveSummary } = parallel().session;
    const endedAt = new Date();
    await site.api.change(id, { status: 'completed', endedAt, finalAnalysis, executiveSummary });
    await page.locator('[data-now-row]').waitFor({ state: 'detached' });
    await page.evaluate(() => (window as unknown as { draw(): void }).draw());
    await page.getByRole('button', { name: /Analysis ready/ }).waitFor();
    await expect.poll(async () => Math.round(10 * (await partOfScreen()))).toBeGreaterThan(6);
    await expect.poll(partOfScreen).toBeLessThanOrEqual(1);
    expect(faults).toEqual([]);
  });

  it('shows a reader at the top of the page an approval and the analysis where they arrive', async () => {
    const session = running();
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session));
    await page.locator('#steps [data-row]').nth(1).waitFor();
    // The page follows this row: one that comes after the approval would scroll to itself.
    await page.locator('[data-now-row]').waitFor();
    const id = session.session.sessionId;
    const isShown = async (selector: string) => {
      await page.locator(selector).waitFor();
      await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
      return isInView(page, selector);
    };
    const asked = waiting().approvals.map((one) => ({ ...one, sessionId: id }));
    const steering = { ...NOT_STEERED, events: 9 };
    await site.api.change(id, { steering }, asked.map(storedApproval));
    expect(await isShown('[data-approval] h2')).toBe(true);
    const { finalAnalysis, executiveSummary } = parallel().session;
    const endedAt = new Date();
    const over = asked.map((one) => storedApproval({ ...one, status: 'ended' }));
    const ending = { status: 'completed', endedAt, finalAnalysis, executiveSummary } as const;
    await site.api.change(id, ending, over);
    expect(await isShown('#analysis-title')).toBe(true);
    expect(await page.getByRole('button', { name: /Analysis ready/ }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('keeps results in the order of their numbers, and no row in its place is moved by one that is late', async () => {
    const session = running();
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session), {
      viewport: { width: 1440, height: 1200 },
    });
    const [call5, result6] = callOf(session, 5);
    const [call7, result8] = callOf(session, 7);
    await page.locator('#steps [data-row]').first().waitFor();
    await site.api.push(call5);
    await site.api.push(call7);
    await expect.poll(() => rowIds(page)).toContain('e-01-release-reviewer.7');
    // The page follows: scrolls to its new end in a frame after the row, then stays.
    await expect
      .poll(() =>
        page.evaluate(
          () =>
            (document.getElementById('steps-end')?.getBoundingClientRect().bottom ?? Infinity) <= innerHeight,
        ),
      )
      .toBe(true);
    const tops = () =>
      page
        .locator('#steps [data-row]')
        .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().top));
    await page.evaluate(() => {
      const watched = window as unknown as { moved: string[] };
      watched.moved = [];
      const places = () =>
        [
          '[data-now]',
          '#steps',
          'article + article',
          '[id="e-01-release-reviewer.5"]',
          '[id="e-01-release-reviewer.7"]',
        ].map((selector) => {
          const { top = 0, height = 0 } = document.querySelector(selector)?.getBoundingClientRect() ?? {};
          return { selector, top, height: selector.startsWith('[id') ? height : 0 };
        });
      const before = places();
      const look = () => {
        for (const [index, { selector, top, height }] of places().entries()) {
          const was = before[index];
          if (Math.abs(top - (was?.top ?? 0)) > 0.5 || Math.abs(height - (was?.height ?? 0)) > 0.5)
            watched.moved.push(`${selector}: ${was?.top} and ${was?.height} high, then ${top} and ${height}`);
        }
        requestAnimationFrame(look);
      };
      look();
    });
    const ids = await rowIds(page);
    await site.api.push(result8);
    await expect.poll(() => page.locator('[id="e-01-release-reviewer.7"]').innerText()).toContain('12 ms');
    await site.api.push(result6);
    await expect.poll(() => page.locator('[id="e-01-release-reviewer.5"]').innerText()).toContain('12 ms');
    expect(await rowIds(page)).toEqual(ids);
    expect(await tops()).toEqual([...(await tops())].toSorted((a, b) => a - b));
    const moved = () => page.evaluate(() => (window as unknown as { moved: string[] }).moved.slice(0, 8));
    expect(await moved()).toEqual([]);
    expect(faults).toEqual([]);
  });

  it("leaves the reader's place unchanged, and counts new entries", async () => {
    const session = running();
    const added = Array.from({ length: 60 }, (_, index) =>
      eventOf(session, 100 + index, { iteration: 3, content: `thought ${index} `.repeat(30) }),
    );
    session.events.push(...added);
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session), { viewport: { width: 800, height: 600 } });
    await page.locator('[id="e-01-release-reviewer.159"]').waitFor();
    await page.evaluate(() => document.querySelector('[id="e-01-release-reviewer.110"]')?.scrollIntoView());
    const scrolled = () => page.evaluate(() => scrollY);
    const from = await scrolled();
    await page.mouse.wheel(0, -300);
    // The browser scrolls after the wheel was turned.
    await expect.poll(scrolled).toBeCloseTo(from - 300, 0);
    const top = () =>
      page.locator('[id="e-01-release-reviewer.110"]').evaluate((row) => row.getBoundingClientRect().top);
    const before = await top();
    const above = eventOf(session, 4, {
      iteration: 1,
      content: 'A late thought above the reader. '.repeat(20),
    });
    await site.api.push(above);
    for (let number = 200; number < 230; number++)
      await site.api.push(eventOf(session, number, { iteration: 4, content: `new ${number}` }));
    const pill = page.getByRole('button', { name: /31 new steps/ });
    await pill.waitFor();
    // It stands on the bar of parts, as wide as that, and covers no line in part.
    const bar = await page.getByRole('navigation', { name: 'Parts of the session' }).boundingBox();
    const { x, y, width, height } = (await pill.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    expect({ x, width, end: Math.round(y + height) }).toEqual({
      x: 0,
      width: 800,
      end: Math.round(bar?.y ?? 0),
    });
    await expect.poll(async () => Math.abs((await top()) - before)).toBeLessThanOrEqual(1);
    await pill.click();
    const end = page.locator('[id="e-01-release-reviewer.229"]');
    await expect.poll(async () => (await end.boundingBox())?.y ?? 9_999).toBeLessThan(600);
  });

  it('keeps the selection and the focus while events come', async () => {
    const session = running();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    const row = page.locator('[id="e-01-pod-reviewer.2"]');
    await row.waitFor();
    await row.focus();
    await page.evaluate(() => {
      const words = document.querySelector('[id="e-01-pod-reviewer.2"] b');
      if (words) getSelection()?.selectAllChildren(words);
    });
    for (let number = 10; number < 60; number++) await site.api.push(eventOf(session, number, {}));
    await page.locator('[id="e-01-release-reviewer.59"]').waitFor({ state: 'attached' });
    expect(await page.evaluate(() => getSelection()?.toString())).toBe('list_pods');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('e-01-pod-reviewer.2');
  });

  it('puts the whole text in the place of the live text', async () => {
    const session = running();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    await page.locator('#steps [data-row]').first().waitFor();
    const live = { executionId: '01-release-reviewer', iteration: 2 };
    await site.api.say(session.session.sessionId, { ...live, text: 'Memory cli' });
    await page.locator('[aria-busy=true]', { hasText: 'Memory cli' }).waitFor();
    const answer = {
      eventType: 'llm_response',
      metadata: {},
      content: 'Memory **climbs**.\n\nAgain.',
    } as const;
    await site.api.push(eventOf(session, 9, answer));
    await site.api.say(session.session.sessionId, { ...live, ended: true });
    await page.locator('strong', { hasText: 'climbs' }).waitFor();
    await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
  });

  it('is the same after a stream that was cut in the middle as when it is opened again', async () => {
    const session = running();
    const site = await startSite([session], { cuts: [3, 70, 333, 1_000, 1_777, 2_500] });
    const { page } = await open(site, addressOf(session));
    const id = session.session.sessionId;
    await page.locator('#steps [data-row]').first().waitFor();
    for (let number = 10; number < 40; number++)
      await site.api.push(eventOf(session, number, { iteration: 3 }));
    await page.locator('[id="e-01-release-reviewer.39"]').waitFor({ state: 'attached' });
    const whole = parallel();
    await site.api.change(id, {
      status: 'completed',
      endedAt: new Date(),
      finalAnalysis: whole.session.finalAnalysis,
    });
    await page.getByRole('heading', { name: 'Root cause' }).waitFor();
    const other = await open(site, addressOf(session));
    await other.page.locator('[data-fold-all]', { hasText: 'Unfold all' }).click();
    await other.page.locator('[id="e-01-release-reviewer.39"]').waitFor({ state: 'attached' });
    const difference = async () => {
      const [followed, opened] = [await rowIds(page), await rowIds(other.page)];
      return isDeepStrictEqual(followed, opened) ? 'none' : { followed, opened };
    };
    await expect.poll(difference).toBe('none');
    const ids = await rowIds(page);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('shows that the connection is lost and since when, blocks decisions, and comes back', async () => {
    const session = running();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    await page.getByText('Live', { exact: true }).waitFor();
    await disconnectUntilPressed(page, site);
    await page.getByText('Connection lost.').waitFor();
    const isDisabled = (name: string | RegExp) => page.getByRole('button', { name }).isDisabled();
    await expect.poll(() => isDisabled('Send')).toBe(true);
    await expect.poll(() => isDisabled(/^Cancel/)).toBe(true);
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.getByText('Connection lost.').waitFor({ state: 'detached' });
    await expect.poll(() => isDisabled('Send')).toBe(false);
  });

  it('continues when the browser is online again', async () => {
    const session = running();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    await page.getByText('Live', { exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('Connection lost.').waitFor();
    await expect.poll(() => page.getByText(/as of \d\d:\d\d:\d\d UTC/).count()).toBe(1);
    await site.api.push(eventOf(session, 9, { content: 'Said meanwhile.' }));
    await page.context().setOffline(false);
    await page.getByText('Said meanwhile.').first().waitFor();
    await page.getByText('Connection lost.').waitFor({ state: 'detached' });
  });

  it('shows both agents side by side, with the same letters in lanes and waterfall', async () => {
    const session = running();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    const lanes = page.locator('article');
    await expect.poll(() => lanes.count()).toBe(2);
    const tops = () => lanes.evaluateAll((all) => all.map((lane) => lane.getBoundingClientRect().top));
    await expect.poll(async () => new Set(await tops()).size).toBe(1);
    expect(await lanes.nth(0).getAttribute('aria-label')).toBe('Agent A, pod-reviewer');
    const lines = page.locator('#facts ol').first().locator('li');
    const lineOf = async (tool: string) =>
      (await lines.filter({ hasText: tool }).first().textContent())?.trim();
    await expect.poll(() => lineOf('list_pods')).toMatch(/^A/);
    await expect.poll(() => lineOf('rollout_history')).toMatch(/^B/);
    await site.api.push(eventOf(session, 9, { iteration: 2 }));
    await expect
      .poll(() => page.locator('[role=status][aria-live]').innerText())
      .toBe('Agent B, iteration 2: is thinking');
  });

  it('announces the events of ten seconds at most twice, however many they are', async () => {
    const session = running();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    await page.locator('#steps [data-row]').first().waitFor();
    await page.evaluate(() => {
      const counted = window as unknown as { times: number[] };
      counted.times = [];
      const region = document.querySelector('[role=status][aria-live]') as Element;
      new MutationObserver(() => counted.times.push(performance.now())).observe(region, {
        childList: true,
        characterData: true,
        subtree: true,
      });
    });
    for (let number = 10; number < 110; number++) await site.api.push(eventOf(session, number, {}));
    await page.locator('[id="e-01-release-reviewer.109"]').waitFor({ state: 'attached' });
    const times = await page.evaluate(() => (window as unknown as { times: number[] }).times);
    const lengths = times.slice(2).map((time, index) => time - (times[index] ?? 0));
    expect(lengths.filter((ms) => ms < 10_000)).toEqual([]);
  });
});

describeInBrowser('the list', () => {
  it('changes states in place, and collects new sessions', async () => {
    const session = running();
    const site = await startSite([session, parallel()]);
    const { page } = await open(site, '/');
    const row = page.locator('main li', { has: page.locator(`a[href="${addressOf(session)}"]`) });
    await row.getByText('Running').waitFor();
    await site.api.change(session.session.sessionId, {
      status: 'failed',
      failure: { code: 'INTERNAL', message: 'it broke' },
    });
    await row.getByText('Failed').waitFor();
    await expect.poll(() => row.innerText()).toContain('INTERNAL: it broke');
  });
});

describeInBrowser('the problem of a session', () => {
  it('changes its badge on the page of an ended session and in the list while they are looked at', async () => {
    const session = openedToday(ended());
    const id = session.session.sessionId;
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session));
    const { page: list } = await open(site, '/');
    const badges = [page, list].map((one) => one.locator('[data-problem]').first());
    for (const badge of badges) expect(await badge.textContent()).toMatch(/Firing since 17 Nov/);
    const incident = session.others.find(({ path }) => path.startsWith('incidents/'));
    if (incident === undefined) throw new Error('the session has no incident');
    const resolved = { ...incident.data, firing: false, resolvedAt: new Date() };
    // The list reads problems again when a session changes.
    await site.api.change(id, { executiveSummary: 'It is over.' }, [{ ...incident, data: resolved }]);
    // The page reads it every 10 seconds, and when a reader comes back.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    for (const badge of badges)
      await expect.poll(() => badge.textContent()).toMatch(/Resolved (\d+ \w+ )?\d\d:\d\d$/);
    expect(faults).toEqual([]);
  });
});

describeInBrowser('a question of an agent', () => {
  it('has its options as buttons, whose answer is guidance of the person, and leaves once it is answered', async () => {
    const session = running();
    const id = session.session.sessionId;
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session));
    await page.locator('[data-now-row]').waitFor();
    const payload = JSON.stringify({ question: 'Which <b>cluster</b>?', options: ['eu1', 'us1'] });
    const asked = { eventType: 'action', metadata: { actionType: 'elicit', payload } } as const;
    await site.api.push(eventOf(session, 4, { ...asked, content: 'Which cluster?' }));
    const card = page.locator('[data-asked]');
    await card.getByText('Which <b>cluster</b>?').waitFor();
    await card.getByRole('button', { name: 'eu1' }).click();
    await expect
      .poll(() => site.api.posted.at(-1))
      .toMatchObject({
        path: `/v1/sessions/${id}/guidance`,
        body: { text: 'In answer to "Which <b>cluster</b>?": eu1' },
      });
    const given = { eventType: 'user_guidance', metadata: { givenBy: 'kim' } } as const;
    const later = new Date(Date.now() + 1_000);
    await site.api.push(eventOf(session, 5, { ...given, content: 'eu1', createdAt: later }));
    await card.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });
});
