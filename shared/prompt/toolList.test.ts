import { describe, expect, it } from 'vitest';
import { describeTools, listTools } from './toolList.ts';

const tool = (inputSchema: Record<string, unknown>, description = 'Reads logs.') => ({
  name: 'kubernetes.get_logs',
  description,
  inputSchema,
  readOnly: true,
});
const parameters = (properties: Record<string, unknown>, rest: Record<string, unknown> = {}): string[] =>
  describeTools([tool({ type: 'object', properties, ...rest })])
    .split('\n')
    .slice(3);

describe('a tool in a prompt', () => {
  it('stands with name, description and typed parameters', () => {
    const schema = {
      type: 'object',
      properties: {
        pod: { type: 'string', description: 'Name of the pod.' },
        tail: { type: 'integer' },
      },
      required: ['pod'],
    };
    expect(describeTools([tool(schema)])).toBe(
      [
        '### kubernetes.get_logs',
        'Reads logs.',
        'Parameters:',
        '- pod (string, required): Name of the pod.',
        '- tail (integer)',
      ].join('\n'),
    );
  });

  it.each([{}, { type: 'object' }, { type: 'object', properties: {} }])(
    'says when it takes nothing: %j',
    (schema) => {
      expect(describeTools([tool(schema, '')])).toBe('### kubernetes.get_logs\nParameters: none');
    },
  );

  it.each([
    [{ enum: ['asc', 'desc'] }, '"asc" or "desc"'],
    [{ const: 'asc' }, '"asc"'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ type: 'array', items: { type: 'string' } }, 'list of string'],
    [{ type: 'array', items: { type: 'array', items: { type: 'number' } } }, 'list of list of number'],
    [{ type: 'array' }, 'list'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'object with values of type string'],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, 'string or integer'],
    [{}, 'any'],
  ])('names the type of %j', (schema, type) => {
    expect(parameters({ x: schema })).toEqual([`- x (${type})`]);
  });

  it('shows what is inside objects and lists of objects', () => {
    const label = { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] };
    expect(parameters({ one: label, many: { type: 'array', items: label, description: 'All.' } })).toEqual([
      '- one (object)',
      '  - key (string, required)',
      '- many (list of object): All.',
      '  - key (string, required)',
    ]);
  });

  it('follows references, and stops at recursive ones', () => {
    const $defs = {
      node: { type: 'object', properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node' } } },
    };
    expect(
      parameters({ root: { $ref: '#/$defs/node' }, other: { $ref: 'https://example.com/x' } }, { $defs }),
    ).toEqual(['- root (object)', '  - name (string)', '  - next (object)', '- other (any)']);
  });

  it('keeps further lines of a description inside their item', () => {
    expect(parameters({ x: { type: 'string', description: 'One.\n- Two.' } })).toEqual([
      '- x (string): One.',
      '  - Two.',
    ]);
  });

  it('is the same text for the same tools', () => {
    const make = () => [tool({ type: 'object', properties: { b: { type: 'string' }, a: {} } }), tool({})];
    expect(describeTools(make())).toBe(describeTools(make()));
  });
});

it('tools are listed by name and description', () => {
  expect(listTools([tool({}), { ...tool({}, ''), name: 'a.b' }])).toBe(
    '- `kubernetes.get_logs`: Reads logs.\n- `a.b`',
  );
});
