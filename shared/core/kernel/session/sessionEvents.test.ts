import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME, sampleSession } from '../../../../test/support/samples.ts';
import type { BudgetName } from '../../schema/execution.ts';
import type { Session } from '../../schema/session.ts';
import type { TimelineEvent } from '../../schema/timelineEvent.ts';
import { cancellationEvent, endEvents, nextPosition } from './sessionEvents.ts';

const at = new Date('2026-11-05T10:00:00Z');
const { steering } = sampleSession();
const deferral = { startedAt: null } as unknown as Session['deferral'];
const cancellation = { by: 'ana', reason: null, at };
const shown = ({ path, value }: ReturnType<typeof endEvents>[number]) => {
  const { sequenceNumber, content, metadata, createdAt } = value as TimelineEvent;
  return { id: path.split('/').at(-1), sequenceNumber, content, metadata, createdAt };
};

it('the next event of a session follows its deferral, the actions of people and its cancellation', () => {
  const events = { ...steering, events: 3 };
  expect(nextPosition(sampleSession())).toBe(1);
  expect(nextPosition(sampleSession({ steering: events }))).toBe(4);
  expect(nextPosition(sampleSession({ steering: events, deferral, cancellation }))).toBe(6);
});

describe('a cancellation', () => {
  it.each([
    [null, 'Cancelled by ana.'],
    ['a test', 'Cancelled by ana: a test'],
  ])('with the reason %j has an event before those of the end', (reason, content) => {
    const session = sampleSession({ deferral, cancellation: { ...cancellation, reason } });
    expect(cancellationEvent(session).map(shown)).toEqual([
      {
        id: expect.stringMatching(/\.0*2$/),
        sequenceNumber: 2,
        content,
        metadata: { code: 'cancel_requested', subject: 'ana' },
        createdAt: at,
      },
    ]);
    expect(nextPosition(session)).toBe(3);
  });

  it('by nobody has none', () => {
    expect(cancellationEvent(sampleSession())).toEqual([]);
  });
});

describe('the end of a session', () => {
  const ended = (overrides: Partial<Session>, taken: number[] = [], withoutSummary?: BudgetName) => {
    const executions = taken.map((guidanceTaken) => ({ guidanceTaken }));
    return endEvents(sampleSession(overrides), { executions, withoutSummary }, SAMPLE_TIME)
      .map(shown)
      .map(({ sequenceNumber, content, metadata }) => [sequenceNumber, metadata, content]);
  };
  const guided = (guidance: number) => ({ steering: { ...steering, guidance, events: 1 } });
  const unread = (subject: string) => [
    2,
    { code: 'guidance_unread', subject },
    `Guidance ${subject} was read by no agent: no model was asked after it was given.`,
  ];

  it.each([
    [0, [], []],
    [2, [2, 1], []],
    [2, [1, 0], [unread('2')]],
    [3, [1], [unread('2-3')]],
    [1, [], [unread('1')]],
  ])('after %i guidances names those that no agent has taken: %j', (guidance, taken, events) => {
    expect(ended(guided(guidance), taken)).toEqual(events);
  });

  it.each([
    ['sessionTokens', 'this investigation'],
    ['dailyTokens', 'this day'],
  ] as const)('names the budget that leaves no summary: %s', (budget, period) => {
    expect(ended({}, [], budget)).toEqual([
      [
        1,
        { code: 'budget_reached', subject: budget },
        `No executive summary is written: the tokens of ${period} are used up (${budget}).`,
      ],
    ]);
  });

  it('has its events in order', () => {
    const partial = { reason: 'MODEL_BLOCKED' as const, text: 'It ended early.' };
    expect(
      ended({ ...guided(1), partial }, [], 'dailyTokens').map(([number, metadata]) => [number, metadata]),
    ).toEqual([
      [2, { code: 'guidance_unread', subject: '1' }],
      [3, { code: 'budget_reached', subject: 'dailyTokens' }],
      [4, { code: 'partial_result', subject: 'MODEL_BLOCKED' }],
    ]);
  });
});
