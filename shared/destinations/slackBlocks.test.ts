import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/fullTests.ts';
import { NO_PARTS, type PortableMessage } from '../contract/destination.ts';
import { slackMessage } from './slackBlocks.ts';

const PLAIN: PortableMessage = {
  ...NO_PARTS,
  status: 'completed',
  title: 'Checkout is slow',
  text: 'Investigated: Checkout is slow',
  link: null,
};
const BUTTONS: PortableMessage['buttons'] = [
  { action: 'approve', label: 'Approve', value: 'a.b' },
  { action: 'deny', label: 'Deny', value: 'a.b' },
];

/** Text of others: any characters, and what Slack would read as markup, mentions and links. */
const hostile = (most: number) =>
  fc.oneof(
    fc.string({ maxLength: most, unit: 'binary' }),
    fc
      .constantFrom('`a` ', '**a** ', '\n', '# a\n', '```\na\n```\n', '"\\', '- a\n')
      .map((part) => part.repeat(most / part.length)),
    fc.constantFrom('<!channel>', '<@U123>', '*bold*', '&amp;', '<https://evil.example|ok>', '@here'),
    fc.string({ minLength: most - 1, maxLength: most }),
  );

const FIRING = {
  status: 'firing',
  text: 'Firing since 27 Nov 2025 18:24 UTC, repeated 1000000 times',
} as const;
const message: fc.Arbitrary<PortableMessage> = fc.record({
  problem: fc.constantFrom(null, FIRING),
  status: fc.constantFrom('running', 'waiting', 'completed', 'failed', 'notice'),
  title: hostile(200),
  location: fc.option(hostile(300)),
  command: fc.option(hostile(500)),
  certainty: fc.option(hostile(500)),
  text: hostile(300),
  summary: fc.array(hostile(500), { maxLength: 4 }),
  cause: fc.option(hostile(500)),
  nextStep: fc.option(hostile(500)),
  facts: fc.array(fc.record({ name: hostile(40), value: hostile(200) }), { maxLength: 8 }),
  evidence: fc.array(
    fc.record({
      title: hostile(100),
      url: fc.oneof(fc.webUrl(), fc.constant(`https://x.example/${'q'.repeat(1_900)}`)),
    }),
    { maxLength: 10 },
  ),
  sections: fc.array(fc.record({ title: hostile(200), text: hostile(30_000), isCode: fc.boolean() }), {
    maxLength: 20,
  }),
  buttons: fc.constant(BUTTONS),
  link: fc.option(fc.webUrl()),
  isRepeated: fc.boolean(),
});

interface FoundText {
  type: string;
  text: string;
}

/** All texts of blocks with the type of their element. */
function textsOf(node: unknown): FoundText[] {
  if (Array.isArray(node)) return node.flatMap(textsOf);
  if (node === null || typeof node !== 'object') return [];
  const { type, text } = node as { type?: unknown; text?: unknown };
  const own = typeof text === 'string' ? [{ type: String(type), text }] : [];
  return [...own, ...Object.values(node).flatMap(textsOf)];
}

it('with a cut heading of a section cannot be approved, though the sections behind it are whole', () => {
  const sections = ['a'.repeat(300), 'b'].map((title) => ({ title, text: 'x', isCode: false }));
  const actions = (given: PortableMessage['sections']) =>
    listActions(slackMessage({ ...PLAIN, sections: given, buttons: BUTTONS }, true).blocks);
  expect(actions(sections)).toEqual(['deny']);
  expect(actions(sections.slice(1))).toEqual(['approve', 'deny']);
});

/** The actions of a message's buttons. */
function listActions(blocks: readonly object[]): string[] {
  return JSON.stringify(blocks).match(/(?<="action_id":")\w+/g) ?? [];
}

describe('every message', () => {
  it('fits the limits of Slack, and has texts of others only where they are shown as they are', () => {
    fc.assert(
      fc.property(message, (given) => {
        const { text, blocks } = slackMessage(given, true);
        expect(blocks.length).toBeLessThanOrEqual(50);
        const texts = textsOf(blocks);
        expect(texts.filter((one) => one.text.length > 3_000 || one.text === '')).toEqual([]);
        const size = JSON.stringify(blocks).replace(/\\(?:u[0-9a-f]{4}|.)/g, '.').length;
        expect(size).toBeLessThanOrEqual(13_200);
        expect(new Set(texts.map(({ type }) => type))).not.toContain('mrkdwn');
        expect(texts.filter(({ type }) => !['plain_text', 'text', 'link'].includes(type))).toEqual([]);
        expect(text).not.toMatch(/<|>/);
        expect(JSON.stringify(blocks[0]).length).toBeLessThan(2_000);
      }),
      { numRuns: randomRuns(400) },
    );
  });
});

describe('buttons', () => {
  const call = (bytes: number): PortableMessage => ({
    ...PLAIN,
    sections: [{ title: 'k8s.delete', text: 'x'.repeat(bytes), isCode: true }],
    buttons: BUTTONS,
  });
  const actionsOf = ({ blocks }: ReturnType<typeof slackMessage>) =>
    blocks.flatMap((block) =>
      block.type === 'actions' ? (block.elements as { action_id: string }[]).map((one) => one.action_id) : [],
    );

  it('approve only a call that is shown whole', () => {
    expect(actionsOf(slackMessage(call(5_000), true))).toEqual(['approve', 'deny']);
    expect(actionsOf(slackMessage(call(16_000), true))).toEqual(['deny']);
    const hidden = { title: 'k8s.delete', text: '{"name": "shop\u202etset"}', isCode: true };
    expect(actionsOf(slackMessage({ ...PLAIN, sections: [hidden], buttons: BUTTONS }, true))).toEqual([
      'deny',
    ]);
  });

  it('are left out where people cannot decide', () => {
    expect(actionsOf(slackMessage(call(10), false))).toEqual([]);
  });
});

it('a message that can exist already states so', () => {
  const { text, blocks } = slackMessage({ ...PLAIN, isRepeated: true }, false);
  expect(text).toMatch(/^Possibly repeated: /);
  expect(JSON.stringify(blocks[0])).toContain('Possibly repeated');
});
