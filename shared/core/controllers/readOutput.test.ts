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
    name: { type: 'string', minLength: 2, maxLength: 4 },
    pods: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
    since: { anyOf: [{ type: 'integer' }, { type: 'null' }, { type: 'string', enum: ['always'] }] },
    port: { type: ['integer', 'null'] },
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

  it('has the types, alternatives and limits of a field in the forms that providers accept', () => {
    const text = { type: 'string' };
    const made = outputSchema(
      {
        plain: 'no schema',
        titled: { ...text, title: 'T', description: 'D', minLength: 1, maxLength: 9, default: 'x' },
        unclear: { title: 1, description: null, minimum: 'low', maximum: Number.NaN },
        either: { description: 'D', anyOf: [text, { type: 'null' }], oneOf: [{ type: 'boolean' }] },
        one: { anyOf: [], oneOf: [{ type: 'integer', minimum: 0 }, text] },
        types: { type: ['string', 'null', 'datetime'] },
        onlyType: { type: ['number'] },
        unknownTypes: { type: ['datetime'] },
        unnamed: { properties: { a: text } },
        unknownWithFields: { type: 'datetime', properties: { a: text } },
        choice: { ...text, enum: ['a', 'b'] },
        mixedChoice: { enum: ['a', 1, null, { b: 1 }] },
        nestedChoice: { enum: [{ b: 1 }] },
        listChoice: { type: 'array', enum: ['a'], items: text },
        objectChoice: { type: 'object', enum: ['a'], properties: {}, required: 'a' },
        listOrNull: { type: ['array', 'null'], items: { type: 'integer' } },
        objectOrNull: { type: ['object', 'null'], properties: { a: text }, required: ['a', 'gone'] },
      },
      ['plain', 'gone'],
    );
    expect(made).toEqual({
      type: 'object',
      required: ['plain'],
      properties: {
        plain: text,
        titled: { ...text, title: 'T', description: 'D', minLength: 1, maxLength: 9 },
        unclear: text,
        either: { description: 'D', anyOf: [text, { type: 'null' }] },
        one: { anyOf: [{ type: 'integer', minimum: 0 }, text] },
        types: { type: ['string', 'null'] },
        onlyType: { type: 'number' },
        unknownTypes: text,
        unnamed: { type: 'object', properties: { a: text } },
        unknownWithFields: text,
        choice: { ...text, enum: ['a', 'b'] },
        mixedChoice: { enum: ['a', 1, null] },
        nestedChoice: text,
        listChoice: { type: 'array', items: text },
        objectChoice: { type: 'object', properties: {} },
        listOrNull: { type: ['array', 'null'], items: { type: 'integer' } },
        objectOrNull: { type: ['object', 'null'], properties: { a: text }, required: ['a'] },
      },
    });
  });

  it.each([
    ['lists', (inner: object) => ({ type: 'array', items: inner })],
    ['alternatives', (inner: object) => ({ anyOf: [inner] })],
    ['objects', (inner: object) => ({ type: 'object', properties: { inner } })],
  ])('allows any type from the twentieth level of %s on', (_, nest) => {
    const wrap = (inner: object, times: number): object =>
      times === 0 ? inner : nest(wrap(inner, times - 1));
    const deep = wrap({ type: 'string', description: 'deep' }, 25);
    expect(outputSchema({ deep }, []).properties).toEqual({ deep: wrap({}, 19) });
    const allowed = wrap({ type: 'string' }, 18);
    expect(outputSchema({ allowed }, []).properties).toEqual({ allowed });
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
      texts: { type: 'array', items: { type: 'string' } },
      plain: 'no schema',
      [`${'x'.repeat(65)}`]: {},
      ['_'.repeat(64)]: {},
      'x-': {},
    });
    expect(names).toEqual(['ok.not-ok', '1st', 'list[].a b', 'x'.repeat(65), 'x-']);
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
        name: null,
        pods: null,
        since: null,
        port: null,
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
    [{ ...good, confidence: -1 }, '"confidence" must be at least 0.'],
    [{ ...good, name: 'x' }, '"name" must have a length of at least 2.'],
    [{ ...good, name: 'xxxxx' }, '"name" must have a length of at most 4.'],
    [{ ...good, pods: [] }, '"pods" must hold at least 1.'],
    [{ ...good, pods: ['a', 'b', 'c'] }, '"pods" must hold at most 2.'],
    [{ ...good, sure: 'yes' }, '"sure" must be true or false, not the string "yes".'],
    [{ ...good, answer: { why: 1 } }, '"answer" must be a string, not an object.'],
    [{ ...good, answer: ['a'] }, '"answer" must be a string, not a list.'],
    [{ ...good, since: true }, '"since" fits none of the forms that the schema allows; it is true.'],
    [
      { ...good, port: 'http' },
      '"port" fits none of the forms that the schema allows; it is the string "http".',
    ],
    [[good], 'The answer must be a JSON object, not a list.'],
    [{ ...good, answer: 'x'.repeat(100_000) }, 'The answer takes more than 100 kB as JSON: be shorter.'],
  ])('that is wrong gets an error with place and reason: %#', (value, fault) => {
    expect(faultsOf(value)).toEqual([fault]);
  });

  it.each([
    { since: 5 },
    { since: 'always' },
    { port: 80 },
    { port: null },
    { name: 'xx', pods: ['a', 'b'] },
    { steps: [{ do: 'a', risk: null }] },
  ])('fits with these properties: %#', (more) => {
    expect(readOutput({ ...good, ...more }, schema).ok).toBe(true);
  });

  it('can have fields whose names all objects of the language have', () => {
    const named = (required: string[]) =>
      outputSchema(
        { all: { type: 'string' }, constructor: { type: 'string' }, toString: { type: 'integer' } },
        ['all', ...required],
      );
    expect(readOutput({ all: 'x' }, named([]))).toEqual({
      ok: true,
      output: { all: 'x', constructor: null, toString: null },
    });
    expect(readOutput({ all: 'x', toString: 1 }, named(['constructor']))).toEqual({
      ok: false,
      faults: ['"constructor" is missing; it must be a string.'],
    });
  });

  it('can take 100 kB as JSON, and no byte more', () => {
    const short = outputSchema({ answer: { type: 'string' } }, ['answer']);
    const fits = (bytes: number) =>
      readOutput({ answer: 'x'.repeat(bytes - '{"answer":""}'.length) }, short).ok;
    expect([100_000, 100_001].map(fits)).toEqual([true, false]);
  });

  it('with many faults gets the first ten', () => {
    const steps = Array.from({ length: 12 }, () => ({}));
    expect(faultsOf({ ...good, steps })).toEqual(
      steps.slice(0, 10).map((_, index) => `"steps[${index}].do" is missing; it must be a string.`),
    );
  });

  it('that is a list with the answer in it is not that answer', () => {
    expect(readOutputText(`[${JSON.stringify(good)}]`, schema)).toEqual({
      ok: false,
      faults: ['The answer must be a JSON object, not a list.'],
    });
  });

  it('is found in a text that is JSON, in a fence, or among words', () => {
    const json = JSON.stringify(good);
    for (const text of [json, ` ${json}\n`, `\`\`\`json\n${json}\n\`\`\``, `Here it is:\n${json}\nDone.`])
      expect(readOutputText(text, schema), text).toMatchObject({ ok: true, output: good });
    for (const text of ['It is out of memory.', 'It is {broken}', '} {', '7}', '{7', '']) {
      expect(readOutputText(text, schema), text).toEqual({
        ok: false,
        faults: ['The answer is not JSON: it must be one JSON object and nothing else.'],
      });
    }
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
