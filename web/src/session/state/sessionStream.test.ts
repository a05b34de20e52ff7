// A session as its page reads it: first reads, the stream, live text, announcements.

import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { LiveText, ModelCall, SessionView, TimelineEvent } from '../../../../shared/lists/apiTypes.ts';
import type { Connection } from '../../api/follow.ts';
import { announcement, urgentAnnouncement } from '../../frame/announce.ts';
import { readFolding } from './folding.ts';
import { removeLiveText, showLiveText } from './liveText.ts';
import { createModel } from './sessionModel.ts';
import { createReader } from './sessionReader.ts';
import { followSession } from './sessionStream.ts';

const AT = '2026-11-29T10:00:00.000Z';
const execution = (changes: object = {}) => ({
  ...{ executionId: '01', agentName: 'logs', parentExecutionId: null, status: 'active', iteration: 1 },
  ...changes,
});
const viewOf = (changes: object = {}, ...executions: object[]) =>
  ({
    ...{ sessionId: 's', status: 'in_progress', finalAnalysis: null, approvals: [], now: AT, createdAt: AT },
    stages: [{ executions: executions.length === 0 ? [execution()] : executions }],
    ...changes,
  }) as unknown as SessionView;
const event = (number: number, eventType = 'llm_response', changes: object = {}) =>
  ({
    ...{ eventId: `01.${number}`, executionId: '01', sequenceNumber: number, iteration: number, eventType },
    ...{ content: `${number}`, metadata: {}, createdAt: AT, status: 'completed', cut: false, ...changes },
  }) as unknown as TimelineEvent;
const composeCall = (iteration: number) =>
  ({ executionId: '01', iteration, interactionId: `i${iteration}`, kind: 'iteration' }) as ModelCall;
const PENDING = { status: 'pending', approvalId: 'p' };

/** The API of a session. Requests are in `asked`; a status in the place of an answer refuses. */
function openSession() {
  const model = createModel('s');
  const asked: string[] = [];
  const answers = {
    view: viewOf() as SessionView | number,
    steps: [[event(1)], [event(2)]] as (TimelineEvent[] | number)[],
    calls: [composeCall(1)] as ModelCall[] | number,
    /** Called before each answer. */
    before: async (_path: string) => {},
  };
  const send = (answer: object | number) =>
    typeof answer === 'number'
      ? Response.json({ code: 'NOT_FOUND', detail: 'refused' }, { status: answer })
      : Response.json(answer);
  vi.stubGlobal('fetch', async (address: string) => {
    const { pathname, searchParams } = new URL(address, 'https://a.example');
    const path = pathname.replace('/v1/sessions/s', '') || '/';
    const after = searchParams.get('after');
    asked.push(after === null ? path : `${path} ${after} ${searchParams.get('position')}`);
    await answers.before(asked.at(-1) ?? '');
    if (path === '/') return send(answers.view);
    if (path === '/interactions')
      return send(
        typeof answers.calls === 'number' ? answers.calls : { interactions: answers.calls, next: null },
      );
    const page = Number(after ?? 0);
    const events = answers.steps[page] ?? [];
    const next = page + 1 < answers.steps.length ? `${page + 1}` : null;
    return send(typeof events === 'number' ? events : { events, next, position: `at ${page}` });
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  const reader = createReader(model);
  const iterations = () =>
    model.timeline.iterationsOf('01').value.map(({ key, isOpen, call }) => ({
      key,
      isOpen: isOpen.value,
      call: call.value?.interactionId,
    }));
  return { model, reader, asked, answers, iterations };
}

beforeEach(() => {
  readFolding({});
  urgentAnnouncement.value = '';
  announcement.value = '';
});

describe('a session', () => {
  it('is read with its steps and calls, page by page', async () => {
    const { model, reader, asked, iterations } = openSession();
    expect([model.startedAt.value, model.finalAnalysis.value, model.summary.value]).toEqual([
      undefined,
      '',
      '',
    ]);
    const read = await reader.readAll();
    expect(read?.position).toBe('at 1');
    expect(read?.view).toBe(model.view.value);
    expect(iterations()).toEqual([
      { key: '01/1', isOpen: true, call: 'i1' },
      { key: '01/2', isOpen: true, call: undefined },
    ]);
    expect([model.isRead.value, model.reading.value, model.error.value]).toEqual([
      true,
      undefined,
      undefined,
    ]);
    expect(asked.toSorted()).toEqual(['/', '/interactions', '/timeline', '/timeline 1 at 0']);
    expect([model.startedAt.value, model.hasLedger.value]).toEqual([AT, false]);
  });

  it('shows what was read beside it in one change, and counts steps while they are read', async () => {
    const { model, reader, answers } = openSession();
    const seen: unknown[] = [];
    model.aroundChange.current = (change) => {
      change();
      seen.push([model.timeline.size.value, model.timeline.callsRead.value, model.reading.value]);
    };
    const others = Promise.withResolvers<void>();
    answers.before = async (path) => {
      if (path === '/timeline 1 at 0') others.resolve();
      if (path === '/') await others.promise;
    };
    await reader.readAll();
    expect(seen[0]).toEqual([1, 1, { steps: 1 }]);
    expect(seen.at(-1)).toEqual([2, 1, undefined]);
  });

  it('does not wait for slow steps and calls', async () => {
    const { model, reader, answers } = openSession();
    const seen: unknown[] = [];
    model.aroundChange.current = (change) => {
      change();
      seen.push([model.view.value?.sessionId, model.timeline.size.value, model.reading.value]);
      shown.resolve();
    };
    const shown = Promise.withResolvers<void>();
    answers.before = async (path) => {
      if (path !== '/') await shown.promise;
    };
    await reader.readAll();
    expect(seen[0]).toEqual(['s', 0, { steps: 0 }]);
    expect([model.timeline.size.value, model.timeline.callsRead.value]).toEqual([2, 1]);
  });

  it('that cannot be read has an error, which a later read removes', async () => {
    const { model, reader, answers } = openSession();
    answers.view = 404;
    expect(await reader.readAll()).toBeUndefined();
    expect([model.error.value?.message, model.reading.value]).toEqual(['refused', undefined]);
    answers.view = viewOf();
    await reader.readAll();
    expect(model.error.value).toBeUndefined();
  });

  it('keeps the steps before a page that cannot be read', async () => {
    const { model, reader, answers } = openSession();
    answers.steps = [[event(1)], 404];
    expect(await reader.readAll()).toBeUndefined();
    expect(model.reading.value).toMatchObject({ steps: 1, error: { message: 'refused' } });
    expect([model.error.value, model.isRead.value]).toEqual([undefined, false]);
  });

  it('is useful without its calls', async () => {
    const { model, reader, answers } = openSession();
    answers.calls = 404;
    expect((await reader.readAll())?.position).toBe('at 1');
    expect(model.timeline.callsRead.value).toBe(0);
  });

  it('that is read again is not counted, and its new iterations are open', async () => {
    const { model, reader, answers, iterations } = openSession();
    answers.view = viewOf({ status: 'completed' }, execution({ iteration: 13, status: 'completed' }));
    await reader.readAll();
    expect(iterations().map(({ isOpen }) => isOpen)).toEqual([false, false]);
    answers.steps = [[event(1)], [event(2)], [event(3)]];
    const seen: unknown[] = [];
    model.reading.subscribe((value) => seen.push(value));
    await reader.readAll();
    expect(seen).toEqual([undefined]);
    expect(iterations().map(({ isOpen }) => isOpen)).toEqual([false, false, true]);
  });

  it.each([
    ['of a session that runs are open', {}, [execution({ iteration: 20 })], true],
    ['of 12 in a session that ended are open', { status: 'failed' }, [execution({ iteration: 12 })], true],
    ['of 13 in a session that ended are folded', { status: 'failed' }, [execution({ iteration: 13 })], false],
    ['of an unknown agent are open', { status: 'failed' }, [execution({ executionId: '02' })], true],
    [
      'of a parallel agent that found something are folded',
      { finalAnalysis: 'a' },
      [execution({ status: 'completed' }), execution({ executionId: '02' })],
      false,
    ],
    [
      'of a parallel agent that runs are open',
      { finalAnalysis: 'a' },
      [execution(), execution({ executionId: '02' })],
      true,
    ],
  ])('has iterations that %s at first', async (_, changes, executions, isOpen) => {
    const { reader, answers, iterations } = openSession();
    answers.view = viewOf(changes, ...executions);
    await reader.readAll();
    expect(iterations()[0]?.isOpen).toBe(isOpen);
  });

  it('reads calls again when there are new iterations, and after its end', async () => {
    const { model, reader, asked, answers, iterations } = openSession();
    await reader.readAll();
    const reads = async (view: SessionView) => {
      asked.length = 0;
      answers.view = view;
      await reader.refreshNow();
      return asked.join(' ');
    };
    expect(await reads(viewOf())).toBe('/');
    answers.calls = [composeCall(1), composeCall(2)];
    expect(await reads(viewOf({}, execution({ iteration: 2 })))).toBe('/ /interactions');
    expect(iterations().map(({ call }) => call)).toEqual(['i1', 'i2']);
    expect(await reads(viewOf({}, execution({ iteration: 2 })))).toBe('/');
    expect(await reads(viewOf({ status: 'failed' }, execution({ iteration: 2 })))).toBe('/ /interactions');
    answers.view = 404;
    await reader.refreshNow();
    expect([model.view.value?.status, model.error.value]).toEqual(['failed', undefined]);
  });

  it('is refreshed once after a pause, and not when the page was left', async () => {
    const { reader, asked } = openSession();
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    reader.refresh();
    reader.refresh();
    await vi.advanceTimersByTimeAsync(699);
    expect(asked).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked[0]).toBe('/');
    reader.refresh();
    await vi.advanceTimersByTimeAsync(700);
    expect(asked.filter((path) => path === '/')).toHaveLength(2);
    reader.refresh();
    reader.stop();
    await vi.advanceTimersByTimeAsync(700);
    expect(asked.filter((path) => path === '/')).toHaveLength(2);
  });
});

describe('an announcement', () => {
  it.each([
    ['nothing', {}, {}, ''],
    [
      'a request for approval',
      {},
      { approvals: [PENDING] },
      'Approval required: an agent requests to run a tool.',
    ],
    ['a request that was answered', { approvals: [PENDING] }, {}, ''],
    ['a request that was known', { approvals: [PENDING] }, { approvals: [PENDING] }, ''],
    ['a decision', {}, { approvals: [{ ...PENDING, status: 'approved' }] }, ''],
    ['an analysis', {}, { finalAnalysis: 'found' }, 'Analysis ready. Press g, then a.'],
    ['an empty analysis', {}, { finalAnalysis: '' }, ''],
    ['a changed analysis', { finalAnalysis: 'a' }, { finalAnalysis: 'b' }, ''],
    ['an end', {}, { status: 'failed' }, 'The session has ended: Failed.'],
    ['an end that was known', { status: 'failed' }, { status: 'failed' }, ''],
    [
      'an end with an analysis',
      {},
      { finalAnalysis: 'found', status: 'completed' },
      'Analysis ready. Press g, then a. The session has ended: Completed.',
    ],
  ])('is made of %s', async (_, before, after, text) => {
    const { reader, answers } = openSession();
    answers.view = viewOf(before);
    await reader.refreshNow();
    expect(urgentAnnouncement.value).toBe('');
    answers.view = viewOf(after);
    await reader.refreshNow();
    expect(urgentAnnouncement.value).toBe(text);
  });
});

describe('the question of an agent', () => {
  const question = event(1, 'action', { metadata: { actionType: 'elicit' } });
  it.each([
    ['is open until a person answers', [question], '01.1'],
    ['is answered by a message', [question, event(2, 'user_guidance')], undefined],
    ['is answered by a question', [question, event(2, 'user_question')], undefined],
    ['stays open after other events', [question, event(2, 'llm_response')], '01.1'],
    ['is no other action', [event(1, 'action', { metadata: { actionType: 'note' } })], undefined],
    ['is none at first', [], undefined],
  ])('%s', (_, events, asked) => {
    const { asked: shown, timeline } = createModel('s');
    timeline.add(events as TimelineEvent[]);
    expect(shown.value?.eventId).toBe(asked);
  });
});

describe('live text', () => {
  const live = (changes: Partial<LiveText> = {}) =>
    ({
      ...{ executionId: '01', iteration: 1, now: AT, ended: false },
      ...{ thinking: '', thinkingStart: 0, text: '', textStart: 0, ...changes },
    }) as LiveText;
  const shown = (model: ReturnType<typeof createModel>) =>
    model.timeline.all().map(({ eventType, content, lines }) => `${eventType} ${content} ${lines}`);

  it('is shown as far as it came, and removed at its end', () => {
    const model = createModel('s');
    showLiveText(model, live({ thinking: 'why', text: '' }));
    expect(shown(model)).toEqual(['llm_thinking why 1']);
    showLiveText(model, live({ thinking: 'why', text: 'a\nb' }));
    expect(shown(model)).toEqual(['llm_response a\nb 2', 'llm_thinking why 1']);
    const [first, second] = model.timeline.iterationsOf('01').value[0]?.events.value ?? [];
    expect([first?.eventType, second?.eventType]).toEqual(['llm_thinking', 'llm_response']);
    showLiveText(model, live({ text: 'b', textStart: 2 }));
    expect(shown(model)).toEqual(['llm_response … b 1']);
    showLiveText(model, live({ text: '', textStart: 2 }));
    expect(shown(model)).toEqual([]);
    showLiveText(model, live({ text: 'b' }));
    showLiveText(model, live({ text: 'b', ended: true }));
    expect(shown(model)).toEqual([]);
  });

  it('is removed after a lost connection, and stored events stay', () => {
    const model = createModel('s');
    model.timeline.add([event(1)]);
    showLiveText(model, live({ thinking: 'why', text: 'so' }));
    removeLiveText(model);
    expect(shown(model)).toEqual(['llm_response 1 undefined']);
  });
});

describe('the stream of a session', () => {
  async function stream(messages: readonly (readonly [string, object])[]) {
    const model = createModel('s');
    const calls: string[] = [];
    const counts: number[] = [];
    model.onAdded.current = (count) => counts.push(count);
    model.view.value = viewOf();
    const paths: string[] = [];
    vi.stubGlobal('fetch', async (path: string) => {
      paths.push(path);
      const text = messages.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
      return new Response(`${text.join('')}event: end\ndata: {}\n\n`);
    });
    vi.stubGlobal('document', { hidden: false, addEventListener() {}, removeEventListener() {} });
    for (const name of ['addEventListener', 'removeEventListener']) vi.stubGlobal(name, () => {});
    onTestFinished(() => {
      vi.unstubAllGlobals();
    });
    const kinds: Connection['kind'][] = [];
    const stop = followSession({
      model,
      reader: { refresh: () => calls.push('refresh'), refreshNow: async () => void calls.push('now') },
      position: '7',
      onConnection: ({ kind }) => kinds.push(kind),
      onStale: () => {},
    });
    await expect.poll(() => kinds.at(-1)).toBe('ended');
    stop();
    return { model, calls, counts, paths };
  }
  const live = { executionId: '01', iteration: 1, now: AT, ended: false, thinkingStart: 0, textStart: 0 };

  it('adds events, announces and counts new ones, and reads the session again', async () => {
    const { model, calls, counts, paths } = await stream([
      ['timeline', event(1)],
      ['timeline', event(1)],
    ]);
    expect(model.timeline.get('01.1')?.content).toBe('1');
    expect([counts, calls]).toEqual([[1], ['refresh', 'now']]);
    expect(announcement.value).toContain('logs, iteration 1: responded');
    expect(paths[0]).toContain('/v1/sessions/s/events?resultBytes=600');
  });

  it.each([['session'], ['unreadable']])('reads the session again for a message: %s', async (name) => {
    const { calls } = await stream([[name, { now: AT }]]);
    expect(calls).toEqual(['refresh', 'now']);
  });

  it('replaces live text by the event that holds it, and no other', async () => {
    const text = ['live', { ...live, thinking: 'why', text: 'so' }] as const;
    const types = async (...stored: TimelineEvent[]) => {
      const { model } = await stream([text, ...stored.map((one) => ['timeline', one] as const)]);
      return model.timeline
        .all()
        .map(({ eventType, status }) => `${eventType} ${status}`)
        .toSorted();
    };
    expect(await types()).toEqual(['llm_response streaming', 'llm_thinking streaming']);
    expect(await types(event(1, 'llm_thinking'))).toEqual([
      'llm_response streaming',
      'llm_thinking completed',
    ]);
    expect(await types(event(1, 'final_analysis'))).toEqual([
      'final_analysis completed',
      'llm_thinking streaming',
    ]);
    expect(await types(event(1, 'llm_response', { status: 'streaming' }))).toHaveLength(3);
  });
});
