import { describe, expect, it } from 'vitest';
import { createCallCollector } from './collectCalls.ts';

const piece = (fields: object) => ({ tool_call_chunks: [{ type: 'tool_call_chunk', ...fields }] });

function collected(...chunks: Record<string, unknown>[]) {
  const collector = createCallCollector();
  const bytes = chunks.map((chunk) => collector.add(chunk));
  return { calls: collector.calls(), bytes };
}

describe('the calls of an answer', () => {
  it('are put together from pieces that name a position, also where two calls alternate', () => {
    const { calls, bytes } = collected(
      piece({ index: 0, id: 'a', name: 'k8s__logs', args: '' }),
      piece({ index: 1, id: 'b', name: 'k8s__pods', args: '{"n' }),
      piece({ index: 0, args: '{"pod":' }),
      piece({ index: 1, args: 's":"é"}' }),
      piece({ index: 0, args: '"x"}' }),
    );
    expect(calls).toEqual([
      { id: 'a', name: 'k8s__logs', args: '{"pod":"x"}' },
      { id: 'b', name: 'k8s__pods', args: '{"ns":"é"}' },
    ]);
    expect(bytes).toEqual([10, 13, 7, 8, 4]);
  });

  it('are several where all have the same position', () => {
    const { calls } = collected(
      piece({ index: 0, id: 'a', name: 'k8s__logs', args: '{}' }),
      piece({ index: 0, id: 'b', name: 'k8s__pods', args: '{}' }),
    );
    expect(calls.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('are several where they have no position and no id', () => {
    const { calls } = collected(
      piece({ name: 'k8s__logs', args: '{"a"' }),
      piece({ args: ':1}' }),
      piece({ name: 'k8s__logs', args: '{}' }),
    );
    expect(calls).toEqual([
      { id: '', name: 'k8s__logs', args: '{"a":1}' },
      { id: '', name: 'k8s__logs', args: '{}' },
    ]);
  });

  it('are none of a tool that Anthropic runs, beside one that the client runs', () => {
    const input = (index: number, args: string) => ({
      content: [{ index, type: 'input_json_delta', input: args }],
      tool_call_chunks: [{ index, args }],
    });
    const start = (index: number, type: string, chunks: object[]) => ({
      content: [{ index, type, id: `id${index}`, name: 'web_search', input: '' }],
      tool_call_chunks: chunks,
    });
    const own = { id: 'a', index: 1, name: 'k8s__logs', args: '' };
    const server = [start(0, 'server_tool_use', []), input(0, ''), input(0, '{"query":"x"}')];
    expect(collected(...server)).toEqual({ calls: [], bytes: [0, 0, 0] });
    const { calls } = collected(
      ...server,
      start(1, 'tool_use', [own]),
      input(1, '{"pod":'),
      input(1, '"y"}'),
    );
    expect(calls).toEqual([{ id: 'a', name: 'k8s__logs', args: '{"pod":"y"}' }]);
    // The start of a tool that LangChain does not know is left out.
    expect(collected(input(2, '{"path":"/x"}')).calls).toEqual([]);
  });

  it('can come whole, and again at the end', () => {
    const whole = { tool_calls: [{ id: 'a', name: 'k8s__logs', args: { pod: 'x' } }], tool_call_chunks: [] };
    expect(collected(whole, whole).calls).toEqual([{ id: 'a', name: 'k8s__logs', args: '{"pod":"x"}' }]);
  });

  it.each([
    [
      'in pieces of different positions',
      [
        piece({ index: 0, id: 'a', name: 'k8s__logs', args: '{"pod":"x"}' }),
        piece({ index: 1, id: 'a', name: 'k8s__logs', args: '{"pod":' }),
        piece({ index: 1, id: 'a', args: '"y"}' }),
      ],
    ],
    [
      'in pieces of one position',
      [
        piece({ index: 0, id: 'a', name: 'k8s__logs', args: '{"pod":"x"}' }),
        piece({ index: 0, id: 'a', name: 'k8s__logs', args: '{"pod":"y"}' }),
      ],
    ],
    [
      'in pieces without a position',
      [
        piece({ id: 'a', name: 'k8s__logs', args: '{"pod":"x"}' }),
        piece({ id: 'a', name: 'k8s__logs', args: '{"pod":"y"}' }),
      ],
    ],
    ['whole', [{ tool_calls: ['x', 'y'].map((pod) => ({ id: 'a', name: 'k8s__logs', args: { pod } })) }]],
  ])('with one id are both kept: %s', (_, chunks) => {
    expect(collected(...chunks).calls).toEqual([
      { id: 'a', name: 'k8s__logs', args: '{"pod":"x"}' },
      { id: 'a', name: 'k8s__logs', args: '{"pod":"y"}' },
    ]);
  });

  it('are not repeated by a provider that names id and name with each piece, or gives pieces whole at the end', () => {
    const named = (args: string) => piece({ index: 0, id: 'a', name: 'k8s__logs', args });
    const whole = { tool_calls: [{ id: 'a', name: 'k8s__logs', args: { pod: 'x' } }] };
    const { calls } = collected(named('{"pod"'), named(': "x"'), named('}'), named(''), whole);
    expect(calls).toEqual([{ id: 'a', name: 'k8s__logs', args: '{"pod": "x"}' }]);
  });

  const [logs, pods] = ['k8s__logs', 'k8s__pods'];
  it.each<[string, Record<string, unknown>[], object[]]>([
    [
      'continue a known id that moved to another position, where no name starts a call',
      [piece({ index: 0, id: 'a', name: logs, args: '{"pod"' }), piece({ index: 1, id: 'a', args: ':1}' })],
      [{ id: 'a', name: logs, args: '{"pod":1}' }],
    ],
    [
      'are two with one id and a name at another position',
      [
        piece({ index: 0, id: 'a', name: logs, args: '{' }),
        piece({ index: 1, id: 'a', name: logs, args: '{' }),
      ],
      [
        { id: 'a', name: logs, args: '{' },
        { id: 'a', name: logs, args: '{' },
      ],
    ],
    [
      'get an id that comes later',
      [piece({ index: 0, name: logs, args: '' }), piece({ index: 0, id: 'a', args: '{}' })],
      [{ id: 'a', name: logs, args: '{}' }],
    ],
    [
      'get a name that comes in pieces',
      [piece({ index: 0, id: 'a', name: 'k8s', args: '' }), piece({ index: 0, name: '__logs', args: '' })],
      [{ id: 'a', name: logs, args: '' }],
    ],
    [
      'continue the last one where no position is named',
      [
        piece({ id: 'a', name: logs, args: '{' }),
        piece({ id: 'b', name: pods, args: '{' }),
        piece({ args: '}' }),
      ],
      [
        { id: 'a', name: logs, args: '{' },
        { id: 'b', name: pods, args: '{}' },
      ],
    ],
    [
      'start where a position is no number, or new',
      [piece({ index: 'x', args: '{}' }), piece({ index: 0, args: '{}' })],
      [
        { id: '', name: '', args: '{}' },
        { id: '', name: '', args: '{}' },
      ],
    ],
    [
      'that come whole are several if their id, name or arguments differ, or they have no id',
      [
        { tool_calls: [{ id: 'a', name: logs, args: {} }, { name: logs }] },
        { tool_calls: [{ id: 'a', name: pods, args: {} }, { name: logs }] },
        { tool_calls: [{ id: 'b', name: logs, args: {} }] },
        { tool_calls: [{ id: 'a', name: logs, args: { pod: 1 } }] },
        {
          tool_calls: [
            { id: 'a', name: logs, args: ' ' },
            { id: 'a', name: logs, args: ' {"pod": 1}' },
          ],
        },
        { tool_calls: [{ id: 'a', name: logs, args: '{"pod' }] },
        { tool_calls: [{ id: 'a', name: logs, args: '{"pod' }] },
        { tool_calls: [{ id: 'a', name: logs, args: '{"p' }] },
      ],
      [
        { id: 'a', name: logs, args: '{}' },
        { id: '', name: logs, args: '{}' },
        { id: 'a', name: pods, args: '{}' },
        { id: '', name: logs, args: '{}' },
        { id: 'b', name: logs, args: '{}' },
        { id: 'a', name: logs, args: '{"pod":1}' },
        { id: 'a', name: logs, args: '{"pod' },
        { id: 'a', name: logs, args: '{"p' },
      ],
    ],
  ])('%s', (_, chunks, calls) => {
    expect(collected(...chunks).calls).toEqual(calls);
  });

  it('that the package could not parse are kept as text', () => {
    const invalid = { invalid_tool_calls: [{ id: 'a', name: 'k8s__logs', args: '{"pod":' }] };
    expect(collected(invalid).calls).toEqual([{ id: 'a', name: 'k8s__logs', args: '{"pod":' }]);
  });
});
