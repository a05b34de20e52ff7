import { describe, expect, it } from 'vitest';
import { firstDifference } from './compareReplay.ts';
import { missingAt, outageNotices } from './outages.ts';
import type { RecordedSession } from './recordedSession.ts';

describe('the first difference of record and replay', () => {
  it.each<[string, unknown, unknown, string | undefined]>([
    ['equal values', { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, undefined],
    ['a value', { a: 1 }, { a: 2 }, 'd/a'],
    ['the first of two', { a: 1, b: 1 }, { a: 2, b: 2 }, 'd/a'],
    ['a value below', { a: [{ b: 1 }] }, { a: [{ b: 2 }] }, 'd/a/0/b'],
    ['a field that is missing', { a: 1, b: 1 }, { a: 1 }, 'd/b'],
    ['a field that came', { a: 1 }, { a: 1, b: 1 }, 'd/b'],
    ['an entry more', [1], [1, 2], 'd/1'],
    ['a map', new Map([['k', 1]]), new Map([['k', 2]]), 'd/k'],
    ['another type', { a: { b: 1 } }, { a: 'b' }, 'd/a'],
    ['nothing instead of a value', { a: 1 }, { a: null }, 'd/a'],
    ['no document', { a: 1 }, undefined, 'd'],
    ['a text', 'a', 'b', 'd'],
    ['two times', { a: new Date(1) }, { a: new Date(2) }, undefined],
    ['a time and none', { a: new Date(1) }, { a: null }, 'd/a'],
    [
      'what is measured',
      { tokens: 1, cost: { usd: 1 }, lease: null },
      { tokens: 2, cost: null, lease: {} },
      undefined,
    ],
    ['a value beside what is measured', { tokens: 1, text: 'a' }, { tokens: 2, text: 'b' }, 'd/text'],
    ['a time and an object', { a: new Date(1) }, { a: {} }, 'd/a'],
    ['what is measured, in one only', { a: 1 }, { a: 1, durationMs: 5 }, undefined],
  ])('%s', (_, recorded, replayed, place) => {
    expect(firstDifference(recorded, replayed, 'd')?.place).toBe(place);
  });

  it('has both values', () => {
    expect(firstDifference({ a: [1] }, { a: [2] }, 'd')).toEqual({
      place: 'd/a/0',
      recorded: 1,
      replayed: 2,
    });
  });
});

describe('the outages of a recorded session', () => {
  const OUT = (name: string) => `The tool server "${name}" cannot be reached.`;
  const GONE = (name: string) => `The tool server "${name}" cannot be reached in this investigation.`;
  const BACK = (name: string) => `The tool server "${name}" can be reached again.`;
  const message = (iteration: number | undefined, textContent: string, role = 'user') => ({
    role,
    iteration,
    blocks: [{ blockType: 'text', textContent }],
  });
  const event = (content: string, rest: object = {}) => ({
    executionId: 'a',
    eventType: 'error',
    content: `${content} The agent goes on without its tools.`,
    ...rest,
  });
  const session = (
    messages: object[],
    { timeline = [] as object[], results = {} as Record<string, string> } = {},
  ) =>
    ({
      conversations: new Map([['a', new Map(messages.map((one, index) => [index, one]))]]),
      timeline,
      results: new Map(Object.entries(results).map(([key, text]) => [key, { text }])),
    }) as unknown as RecordedSession;
  const readNotices = (...args: Parameters<typeof session>) =>
    outageNotices(session(...args)).map(({ began, ended, ...rest }) => ({
      ...rest,
      ended,
      began: began.map(({ name, error }) => `${name}: ${error.name} ${error.message}`),
    }));

  it('are read from the messages of the runtime, each with its number in its iteration', () => {
    const notices = readNotices([
      message(1, OUT('k8s')),
      message(1, `${BACK('k8s')} ${GONE('db/eu')}`),
      message(2, OUT('k8s')),
    ]);
    expect(notices).toEqual([
      {
        executionId: 'a',
        iteration: 1,
        nth: 1,
        ended: [],
        began: ['k8s: RetryableError "k8s" is unavailable.'],
      },
      {
        executionId: 'a',
        iteration: 1,
        nth: 2,
        ended: ['k8s'],
        began: ['db/eu: TerminalError "db/eu" is unavailable.'],
      },
      {
        executionId: 'a',
        iteration: 2,
        nth: 1,
        ended: [],
        began: ['k8s: RetryableError "k8s" is unavailable.'],
      },
    ]);
  });

  it.each<[string, object]>([
    ['a model', message(1, OUT('k8s'), 'assistant')],
    ['no iteration', message(undefined, OUT('k8s'))],
    ['other words before it', message(1, `See: ${OUT('k8s')}`)],
    ['other words behind it', message(1, `${OUT('k8s')} And "more".`)],
    ['other words', message(1, 'Go on.')],
    [
      'no text',
      { role: 'user', iteration: 1, blocks: [{ blockType: 'tool_result', textContent: OUT('k8s') }] },
    ],
    ['nothing', { role: 'user', iteration: 1, blocks: [] }],
  ])('are not read from a message of %s', (_, one) => {
    expect(readNotices([one])).toEqual([]);
  });

  it('have the reason of an answer to a call, else of the event, in the order of the messages', () => {
    const timeline = [
      event('another agent', { executionId: 'b' }),
      event('no error', { eventType: 'notice' }),
      { ...event('x'), content: 'another error' },
      event('first reason'),
      event('second reason'),
    ];
    const results = {
      'a call-1': 'db.read could not be run: refused by db',
      'b call-1': 'k8s.get could not be run: of b',
    };
    expect(
      readNotices([message(1, OUT('k8s')), message(2, OUT('db')), message(3, OUT('shop'))], {
        timeline,
        results,
      }).map(({ began }) => began[0]),
    ).toEqual([
      'k8s: RetryableError first reason',
      'db: RetryableError refused by db',
      'shop: RetryableError "shop" is unavailable.',
    ]);
  });

  it('are those that began and have not ended at a delivery of an iteration', () => {
    const notices = outageNotices(
      session([
        message(1, OUT('k8s')),
        message(2, OUT('db')),
        message(2, `${BACK('k8s')} ${OUT('shop')}`),
        message(3, BACK('db')),
      ]),
    );
    const at = (iteration: number, delivery: number) =>
      missingAt(notices, { iteration, delivery }).map(({ name }) => name);
    expect([at(1, 0), at(1, 1), at(2, 0), at(2, 1), at(2, 2), at(3, 0), at(3, 1), at(4, 1)]).toEqual([
      [],
      ['k8s'],
      ['k8s'],
      ['k8s', 'db'],
      ['db', 'shop'],
      ['db', 'shop'],
      ['shop'],
      ['shop'],
    ]);
  });
});
