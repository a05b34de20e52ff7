import { describe, expect, it } from 'vitest';
import { bindArguments, parameterOutside, unknownParameters } from './boundArguments.ts';

const schema = {
  type: 'object',
  properties: { namespace: { type: 'string' }, pod: { type: 'string' } },
  required: ['namespace', 'pod'],
  additionalProperties: false,
};
const toLabel = { namespace: '$' + '{labels.namespace}' };

describe('a bound parameter', () => {
  it('is removed from the schema, and has the value of the label', () => {
    expect(bindArguments(schema, toLabel, { namespace: 'shop', pod: 'x' })).toEqual({
      kind: 'bound',
      bound: { namespace: 'shop' },
      inputSchema: { ...schema, properties: { pod: { type: 'string' } }, required: ['pod'] },
    });
  });

  it('can be a fixed text', () => {
    expect(bindArguments(schema, { pod: 'web' }, {})).toMatchObject({ bound: { pod: 'web' } });
  });

  it('without its label is missing: the tool cannot be offered', () => {
    for (const labels of [{}, { pod: 'x' }])
      expect(bindArguments(schema, toLabel, labels)).toMatchObject({
        kind: 'missing',
        reason: expect.stringContaining('the label namespace, which the alert does not have'),
      });
    const inherited = { namespace: '$' + '{labels.toString}' };
    expect(bindArguments(schema, inherited, {})).toMatchObject({ kind: 'missing' });
  });

  it('is missing when its label has none of the values that the tool accepts', () => {
    const zones = { type: 'object', properties: { namespace: { enum: ['shop', 'dev'] } } };
    expect(bindArguments(zones, toLabel, { namespace: 'dev' })).toMatchObject({
      bound: { namespace: 'dev' },
    });
    expect(bindArguments(zones, toLabel, { namespace: 'prod' })).toEqual({
      kind: 'missing',
      reason:
        'its parameter namespace is bound to the label namespace, whose value in the alert is none of shop, dev',
    });
  });

  it('changes nothing in a tool that does not have it', () => {
    const other = { type: 'object', properties: { query: {} } };
    expect(bindArguments(other, toLabel, {})).toEqual({ kind: 'bound', bound: {}, inputSchema: other });
  });
});

it('a parameter that a tool does not declare, and that is bound elsewhere, cannot be set by a model', () => {
  expect(parameterOutside({ namespace: 'kube-system' }, toLabel, {})).toBe('namespace');
  expect(parameterOutside({ namespace: 'kube-system' }, toLabel, { namespace: 'shop' })).toBe('namespace');
  expect(parameterOutside({ namespace: 'shop' }, toLabel, { namespace: 'shop' })).toBeUndefined();
  expect(parameterOutside({ pod: 'web' }, toLabel, {})).toBeUndefined();
});

it('a binding of a parameter that no tool has is a slip', () => {
  expect(unknownParameters([schema, { type: 'object' }], { ...toLabel, namspace: 'x' })).toEqual([
    'namspace',
  ]);
});
