import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outputSchema, unusableNames } from '../../agents/outputSchema.ts';
import { readOutput, readOutputText } from './readOutput.ts';

const schema = outputSchema(
  {
    answer: { type: 'string', description: 'What is wrong' },
    confidence: { type: 'number', minimum: 0, maximum: 1 },
    severity: { type: 'string', enum: ['low', 'high'] },
    count: { type: 'integer' },
    sure: { type: 'boolean' },
    steps: {
      type: 'array',
      items: {
        type: 'object',
        properties: { do: { type: 'string' }, risk: { type: 'string' } },
        required: ['do'],
      },
    },
    odd: { type: 'datetime' },
  },
  ['answer', 'confidence'],
);
const good = { answer: 'OOM', confidence: 0.9 };
const faultsOf = (value: unknown) => {
  const reading = readOutput(value, schema);
  return reading.ok ? [] : reading.faults;
};

describe('the schema of an output', () => {
  it('has a type for each property, an unknown one as text, and no description of its own', () => {
    expect(schema).toMatchObject({
      type: 'object',
      required: ['answer', 'confidence'],
      properties: { answer: { type: 'string', description: 'What is wrong' }, odd: { type: 'string' } },
    });
    expect(schema).not.toHaveProperty('description');
  });

  it('holds no patterns and references, which would be run on the output of models', () => {
    const made = outputSchema(
      { a: { type: 'string', pattern: '(a+)+$', format: 'uri' }, b: { $ref: '#/x' } },
      [],
    );
    expect(made).toEqual({ type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } });
  });

  it('names fields that providers refuse', () => {
    const names = unusableNames({
      ok: { type: 'object', properties: { 'not-ok': {} } },
      '1st': {},
      list: { type: 'array', items: { type: 'object', properties: { 'a b': {} } } },
    });
    expect(names).toEqual(['ok.not-ok', '1st', 'list[].a b']);
  });
});

describe('an output', () => {
  it('has the properties of the schema in their order; an absent optional property is null', () => {
    const reading = readOutput({ extra: 1, confidence: 0.9, sure: null, answer: 'OOM' }, schema);
    expect(reading).toEqual({
      ok: true,
      output: {
        answer: 'OOM',
        confidence: 0.9,
        severity: null,
        count: null,
        sure: null,
        steps: null,
        odd: null,
      },
    });
    expect(reading.ok && Object.keys(reading.output)[0]).toBe('answer');
  });

  it.each([
    [{ ...good, confidence: '0.9' }, '"confidence" must be a number, not the string "0.9".'],
    [{ confidence: 1 }, '"answer" is missing; it must be a string.'],
    [{ ...good, answer: null }, '"answer" must be a string, not null.'],
    [{ ...good, confidence: 2 }, '"confidence" must be at most 1.'],
    [{ ...good, severity: 'mid' }, '"severity" must be one of low, high, not the string "mid".'],
    [{ ...good, count: 1.5 }, '"count" must be a whole number, not 1.5.'],
    [{ ...good, steps: [{ do: 'a' }, { risk: 'b' }] }, '"steps[1].do" is missing; it must be a string.'],
    [{ ...good, steps: 'none' }, '"steps" must be a list, not the string "none".'],
    [[good], 'The answer must be a JSON object, not a list.'],
    [{ ...good, answer: 'x'.repeat(100_000) }, 'The answer takes more than 100 kB as JSON: be shorter.'],
  ])('that is wrong gets an error with place and reason: %#', (value, fault) => {
    expect(faultsOf(value)).toEqual([fault]);
  });

  it('is found in a text that is JSON, in a fence, or among words', () => {
    const json = JSON.stringify(good);
    for (const text of [json, `\`\`\`json\n${json}\n\`\`\``, `Here it is:\n${json}\nDone.`])
      expect(readOutputText(text, schema), text).toMatchObject({ ok: true, output: good });
    expect(readOutputText('It is out of memory.', schema)).toEqual({
      ok: false,
      faults: ['The answer is not JSON: it must be one JSON object and nothing else.'],
    });
  });

  it('shows hidden characters in its texts', () => {
    expect(readOutput({ ...good, answer: 'a\u202eb' }, schema)).toMatchObject({
      output: { answer: 'a\ufffdb' },
    });
  });

  it('never throws, and an accepted one is accepted again unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const reading = readOutput({ ...good, severity: null, value, steps: value }, schema);
        if (reading.ok) expect(readOutput(reading.output, schema)).toEqual(reading);
      }),
    );
    let deep: unknown = {};
    for (let level = 0; level < 10_000; level++) deep = [deep];
    expect(faultsOf({ ...good, steps: deep })[0]).toMatch(/nested/);
  });
});

it('a list without items takes any entries', () => {
  const schema = outputSchema({ all: { type: 'array' } }, ['all']);
  expect(schema).toMatchObject({ properties: { all: { type: 'array', items: {} } } });
  const all = [1, 'a', { b: [true] }];
  expect(readOutput({ all }, schema)).toEqual({ ok: true, output: { all } });
});
