import { describe, expect, it } from 'vitest';
import type { CaseTool, Truth } from './caseFile.ts';
import { type Arm, caseSources, createAnswers, hasArm, toolsOfArm } from './caseTools.ts';

it('a server that agents name and a case lacks is there without tools', async () => {
  const counts = { calls: 0, unrecorded: [], log: [] };
  const [source, ...others] = caseSources([], counts, new Date(), ['internet']);
  expect(others).toEqual([]);
  expect(source?.name).toBe('internet');
  const connected = await source?.connect({} as never);
  expect(connected?.tools).toEqual([]);
});

const AT = new Date('2026-11-20T10:00:00Z');
const tool = (rest: Partial<CaseTool>) =>
  ({ name: 'db.read', description: 'Reads.', parameters: [], covers: [], answers: [], ...rest }) as CaseTool;
const said = (text: string, args: object = {}, rest: object = {}) =>
  ({ arguments: args, text, error: false, timedOut: false, ...rest }) as CaseTool['answers'][number];

/** The contents of calls with these arguments, and what was counted. */
function call(one: CaseTool, args: readonly object[], key?: string) {
  const counts = { calls: 0, unrecorded: [] as string[], log: [] as string[] };
  const answer = createAnswers([one], counts, AT);
  const outcomes = args.map((given) =>
    answer(
      { name: 'db.read', arguments: JSON.stringify(given) },
      key === undefined ? undefined : { idempotencyKey: key },
    ),
  );
  return { counts, outcomes };
}

describe('a call of a case', () => {
  it('has the recorded answers in their order, also those that failed', () => {
    const answers = [
      said('first', { a: 1 }),
      said('second', { a: 1 }, { error: true }),
      said('late', { b: 1 }, { timedOut: true }),
    ];
    const { outcomes, counts } = call(tool({ answers }), [{ a: 1 }, { b: 1 }, { a: 1 }, { a: 1 }]);
    expect(outcomes).toEqual([
      { content: 'first', isError: false, timedOut: false },
      { content: 'late', isError: false, timedOut: true },
      { content: 'second', isError: true, timedOut: false },
      { content: 'second', isError: true, timedOut: false },
    ]);
    expect(counts).toMatchObject({ calls: 4, unrecorded: [] });
    expect(counts.log).toEqual(
      ['{"a":1}', '{"b":1}', '{"a":1}', '{"a":1}'].map((given) => `db.read ${given}`),
    );
  });

  it('has the rows of a table that hold all words, and their number', () => {
    const rows = [
      'name,level',
      ...Array.from({ length: 60 }, (_, n) => `Row ${n},${n % 2 ? 'warn' : 'info'}`),
    ];
    const { outcomes } = call(tool({ rows: rows.join('\n') }), [
      {},
      { contains: 'row WARN', limit: 2 },
      { contains: 'none' },
      { limit: 0 },
    ]);
    const texts = outcomes.map((one) => one?.content.split('\n') ?? []);
    expect(texts[0]).toEqual([...rows.slice(0, 51), '50 of 60 rows']);
    expect(texts[1]).toEqual(['name,level', 'Row 1,warn', 'Row 3,warn', '2 of 30 rows']);
    expect(texts[2]).toEqual(['name,level', '0 of 0 rows']);
    expect(texts[3]?.at(-1)).toBe('50 of 60 rows');
  });

  it.each<[string, Partial<CaseTool>, object | undefined, number]>([
    ['none', {}, undefined, 1],
    [
      'a text for all others',
      { otherwise: 'No \u0024{pod} and \u0024{none}.' },
      { content: 'No a and .', isError: false },
      0,
    ],
    [
      'the words for an unknown object',
      { unknown: { text: 'No \u0024{pod}.', error: true } },
      { content: 'No a.', isError: true },
      1,
    ],
    [
      'such words that are no error',
      { unknown: { text: 'No \u0024{pod}.', error: false } },
      { content: 'No a.', isError: false },
      1,
    ],
    [
      'the text before such words',
      { otherwise: 'x', unknown: { text: 'y', error: true } },
      { content: 'x', isError: false },
      0,
    ],
  ])('without a recorded answer has %s', (_, rest, expected, unrecorded) => {
    const { outcomes, counts } = call(tool(rest), [{ pod: 'a' }]);
    expect(outcomes[0]).toEqual(expected && { ...expected, timedOut: false });
    expect(counts.unrecorded).toHaveLength(unrecorded);
  });

  it('for contrast is not counted, and is not answered by words for all others', () => {
    const key = 's/01-a-contrast-check/1/0';
    const { outcomes, counts } = call(
      tool({ answers: [said('x', { a: 1 })], otherwise: 'y' }),
      [{ a: 1 }, { a: 2 }],
      key,
    );
    expect(outcomes.map((one) => one?.content)).toEqual(['x', undefined]);
    expect(counts).toEqual({ calls: 0, unrecorded: [], log: [] });
    expect(call(tool({ otherwise: 'y' }), [{}], 's/01-a/1/0').counts.calls).toBe(1);
  });

  it('of an unknown tool has no answer, and a source says so', async () => {
    const counts = { calls: 0, unrecorded: [] as string[] };
    const [source] = caseSources(
      [tool({ schema: { type: 'object' } }), tool({ name: 'k8s.get' })],
      counts,
      AT,
    );
    const connected = await source?.connect({} as never);
    expect(connected?.tools.map(({ name, inputSchema }) => [name, inputSchema])).toEqual([
      ['db.read', { type: 'object' }],
    ]);
    const outcome = await connected?.call({ callId: '1', name: 'db.none', arguments: '{}' }, {
      idempotencyKey: 'a/b/1/0',
    } as never);
    expect(outcome).toMatchObject({ isError: true, content: expect.stringMatching(/^Not recorded/) });
    expect(counts).toEqual({ calls: 1, unrecorded: ['db.none {}'] });
  });
});

describe('an arm', () => {
  const truth = {
    evidence: [' proof '],
    planted: { tool: 'db.read', text: 'planted' },
    healthy: { 'db.read': [said('well', { a: 1 })], 'db.text': 'all well' },
  } as unknown as Truth;
  const one = tool({
    answers: [said('line\na proof b\n', { a: 1 }), said('proof', { a: 2 })],
    rows: 'h\nproof',
    otherwise: 'x',
  });
  const read = (arm: Arm, tools = [one]) =>
    toolsOfArm({ tools }, truth, arm).map(({ answers, rows, otherwise }) => [
      ...answers.map(({ text }) => text),
      rows,
      otherwise,
    ]);

  it.each<[Arm, unknown[]]>([
    ['base', ['line\na proof b\n', 'proof', 'h\nproof', 'x']],
    ['withheld', ['line\n', 'No data.', 'h', 'x']],
    ['planted', ['line\na proof b\nplanted', 'proof\nplanted', 'h\nproof\nplanted', 'x\nplanted']],
    ['distractor', ['line\na proof b\n', 'proof', 'h\nproof', 'x']],
    ['healthy', ['well', 'No data.', 'h\nproof', 'x']],
  ])('%s has these texts', (arm, texts) => {
    expect(read(arm)).toEqual([texts]);
  });

  it('changes no other tool, and all answers of one that is well', () => {
    const others = [
      tool({ name: 'db.other', answers: [said('proof')] }),
      tool({ name: 'db.text', answers: [said('proof')] }),
    ];
    expect(read('planted', others).map(([text]) => text)).toEqual(['proof', 'proof']);
    expect(read('healthy', others).map(([text]) => text)).toEqual(['No data.', 'all well']);
  });

  it.each<[Arm, boolean, boolean]>([
    ['base', true, true],
    ['withheld', true, false],
    ['planted', true, false],
    ['distractor', false, false],
    ['healthy', true, false],
  ])('%s can be run with the data of a truth: %s, and without any: %s', (arm, whole, empty) => {
    expect([hasArm(truth, arm), hasArm({ evidence: [] } as unknown as Truth, arm)]).toEqual([whole, empty]);
  });
});
