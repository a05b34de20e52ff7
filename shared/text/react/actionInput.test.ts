import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IS_FULL, randomRuns } from '../../../test/support/fullTests.ts';
import { runInThread } from '../../../test/support/runInThread.ts';
import { parseActionArguments } from './actionInput.ts';

describe('rule 10: an Action Input becomes arguments', () => {
  it.each(['', ' \n\t'])('nothing (%j) is {}', (text) => {
    expect(parseActionArguments(text)).toEqual({});
  });

  it('a JSON object is itself', () => {
    const text = ' {"a": {"b": [1, null]}, "c": "x: y, z=1"}\n';
    expect(parseActionArguments(text)).toEqual({ a: { b: [1, null] }, c: 'x: y, z=1' });
  });

  it.each([
    ['words behind it', '{"n": 1}\nI wait for the result.'],
    ['a note in brackets', '{"n": 1} (the first page)'],
    ['another object', '{"n": 1}{"n": 2}'],
    ['a fence behind it', '{"n": 1}\n```'],
    ['an aside before it', 'Here is the input: {"n": 1}'],
    ['an aside and a fence', 'Here is the input:\n```json\n{"n": 1}\n```\nNow I wait.'],
    ['another aside', 'The arguments are:\n{"n": 1}'],
    ['a missing bracket', '{"n": 1'],
    ['a missing bracket and blanks', '{"n": 1\n\n'],
  ])('a JSON object is read with %s: the first complete one', (_, text) => {
    expect(parseActionArguments(text)).toEqual({ n: 1 });
  });

  it('brackets in strings are text', () => {
    expect(parseActionArguments('{"a": "}", "b": "\\"}"} {"c": 1}')).toEqual({ a: '}', b: '"}' });
  });

  it('an object that lacks several brackets at its end is completed', () => {
    expect(parseActionArguments('{"a": [{"b": [1, 2')).toEqual({ a: [{ b: [1, 2] }] });
    expect(parseActionArguments('{')).toEqual({});
  });

  it('an integer beyond 2^53 keeps its digits, in every notation', () => {
    const id = '12345678901234567890';
    for (const text of [`{"id": ${id}}`, `id: ${id}`, `id=${id}`, `x:\n  - 1\nid: ${id}`, `{"id": ${id}`]) {
      expect(parseActionArguments(text)).toMatchObject({ id });
    }
    expect(parseActionArguments(`{"ids": [${id}, -${id}, 9007199254740993, 1]}`)).toEqual({
      ids: [id, `-${id}`, '9007199254740993', 1],
    });
    expect(parseActionArguments(`ids=[${id}],n=1`)).toEqual({ ids: [id], n: 1 });
    expect(parseActionArguments(id)).toEqual({ input: id });
  });

  it('a selector within a mapping stays text', () => {
    expect(parseActionArguments('query: {app="web"}\nlabels:\n  - a')).toEqual({
      query: '{app="web"}',
      labels: ['a'],
    });
    expect(parseActionArguments('query: {app="web"}')).toEqual({ query: '{app="web"}' });
    expect(parseActionArguments('query: {app="web"} |= "error", limit: 5')).toEqual({
      query: '{app="web"} |= "error"',
      limit: 5,
    });
    expect(parseActionArguments('{a: , b: 1}')).toEqual({ input: '{a: , b: 1}' });
    expect(parseActionArguments('{a: 1, b: x}')).toEqual({ a: 1, b: 'x' });
  });

  it.each([
    ['[1, "a"]', [1, 'a']],
    ['"a: b"', 'a: b'],
    ['42', 42],
    ['true', true],
    ['null', null],
  ])('other JSON is the value of `input`: %s', (text, value) => {
    expect(parseActionArguments(text)).toEqual({ input: value });
  });

  it.each([
    ['a list in it', 'names:\n  - a\n  - b\nlimit: 5', { names: ['a', 'b'], limit: 5 }],
    ['a list at the same indentation', 'names:\n- a\n- b', { names: ['a', 'b'] }],
    [
      'a mapping in it',
      'meta:\n  labels:\n    app: web\nall: true',
      { meta: { labels: { app: 'web' } }, all: true },
    ],
    ['a flow list', 'names: [a, b]', { names: ['a', 'b'] }],
    ['a block of lines', 'script: |\n  one: 1\n  two\nx: 1', { script: 'one: 1\ntwo\n', x: 1 }],
    [
      'braces around it, as in Python',
      "{'all': True, 'name': None, 'n': 1,}",
      { all: true, name: null, n: 1 },
    ],
  ])('YAML is read when it has %s', (_, text, value) => {
    expect(parseActionArguments(text)).toEqual(value);
  });

  it.each([
    ['raw line breaks in a string', '{"a": "one\ntwo\tx"}', { a: 'one\ntwo\tx' }],
    [
      'comments',
      '{"a": 1, # first\n "u": "http://x", // second\n /* third */ "b": 2 # end\n}',
      { a: 1, u: 'http://x', b: 2 },
    ],
    ['a comment behind it', "{'a': 1}  # the first page", { a: 1 }],
    ['words behind it', "{'a': 1} I wait for the result.", { a: 1 }],
    ['another tool named below', "{'a': 1}\nTool Name: k8s.logs", { a: 1 }],
    ['emphasis before it', '** {"a": 1}', { a: 1 }],
    ['emphasis around it', '**{"a": 1}**', { a: 1 }],
    ['a call around it', 'Tool({"a": 1})', { a: 1 }],
    ['a call of the tool around it', "k8s.logs({'a': 1}) and wait", { a: 1 }],
    ['an aside before it', "Here is the input: {'a': 1}", { a: 1 }],
    [
      'values without quotes',
      '{"ns": shop, "q": up == 0, "t": 10:30, "e": rate(x[5m]), "p": /var/log/x, "r": *x}',
      { ns: 'shop', q: 'up == 0', t: '10:30', e: 'rate(x[5m])', p: '/var/log/x', r: '*x' },
    ],
    [
      'apostrophes and quotes within',
      `{'a': 'don't', "b": "say "hi" now"}`,
      { a: "don't", b: 'say "hi" now' },
    ],
    ['three quotes', '{"a": """x\n"y"\nz"""}', { a: 'x\n"y"\nz' }],
    ['escapes of regular expressions', '{"a": "\\d+\\n"}', { a: '\\d+\n' }],
    ['objects without quotes, nested', '{a: {b: 1}, c: {}}', { a: { b: 1 }, c: {} }],
    [
      'Python values, nested',
      "{'a': None, 'b': [True, 'x', {'c': 1.5}], 'd': {},}",
      { a: null, b: [true, 'x', { c: 1.5 }], d: {} },
    ],
  ])('a dictionary is read with %s', (_, text, value) => {
    expect(parseActionArguments(text)).toEqual(value);
  });

  it('YAML values follow the rules of pairs; quoted ones stay text', () => {
    const text =
      'x:\n  a: None\n  b: "5"\n  c: NaN\n  d: .inf\n  e: 2026-01-02\n  f: yes\n  g: 0x1F\n  h: 1.5\n  i:';
    expect(parseActionArguments(text)).toEqual({
      x: { a: null, b: '5', c: 'NaN', d: '.inf', e: '2026-01-02', f: 'yes', g: '0x1F', h: 1.5, i: '' },
    });
  });

  it.each([
    ['namespace: shop', { namespace: 'shop' }],
    ['namespace=shop', { namespace: 'shop' }],
    ['namespace: shop, limit: 5', { namespace: 'shop', limit: 5 }],
    ['namespace=shop,limit=5', { namespace: 'shop', limit: 5 }],
    ['namespace: shop\nlimit=5\n', { namespace: 'shop', limit: 5 }],
    ['apiVersion: v1\nkind: Namespace', { apiVersion: 'v1', kind: 'Namespace' }],
    ['"namespace": "shop", \'name\': \'x\'', { namespace: 'shop', name: 'x' }],
    ['time: 10:30', { time: '10:30' }],
    ['selector=app=web', { selector: 'app=web' }],
    ['url=https://example.com/a?b=c', { url: 'https://example.com/a?b=c' }],
    ['url: https://example.com', { url: 'https://example.com' }],
    ['name:', { name: '' }],
    ['name:\nlimit: 5', { name: '', limit: 5 }],
    ['name: x\n      limit: 5', { name: 'x', limit: 5 }],
    ['n: 1, n: 2', { n: 2 }],
  ])('pairs are split on commas and new lines: %j', (text, value) => {
    expect(parseActionArguments(text)).toEqual(value);
  });

  it.each([
    ['q: "a, b", n: 1', { q: 'a, b', n: 1 }],
    ["q: 'a, b', n: 1", { q: 'a, b', n: 1 }],
    ['q: "say \\"a, b\\"", n: 1', { q: 'say "a, b"', n: 1 }],
    ['q: sum by (pod, ns) (rate(x[5m])), n: 60', { q: 'sum by (pod, ns) (rate(x[5m]))', n: 60 }],
    ['l: ["a", "b"], n: 1', { l: ['a', 'b'], n: 1 }],
    ['l: [a, b], n: 1', { l: '[a, b]', n: 1 }],
    ['o={"a": 1, "b": 2}, n=1', { o: { a: 1, b: 2 }, n: 1 }],
    ["note: don't split this, n: 1", { note: "don't split this", n: 1 }],
    ['note: "open, n: 1', { note: '"open', n: 1 }],
    ['note: :-(, n: 1', { note: ':-(', n: 1 }],
  ])('commas inside quotes or brackets do not split: %j', (text, value) => {
    expect(parseActionArguments(text)).toEqual(value);
  });

  it.each([
    ['true', true],
    ['False', false],
    ['null', null],
    ['None', null],
    ['-7', -7],
    ['0', 0],
    ['1.50', 1.5],
    ['-0.5', -0.5],
    ['NaN', 'NaN'],
    ['Infinity', 'Infinity'],
    ['-Infinity', '-Infinity'],
    ['1e5', '1e5'],
    ['007', '007'],
    ['12345678901234567890', '12345678901234567890'],
    ['1.2.3', '1.2.3'],
    ['"5"', '5'],
    ['truely', 'truely'],
  ])('the value %s is %j', (text, value) => {
    expect(parseActionArguments(`v: ${text}`)).toEqual({ v: value });
    expect(parseActionArguments(`a=1,v=${text}`)).toEqual({ a: 1, v: value });
  });

  it.each([
    'find all pods',
    'find the pods, then: look',
    'namespace: shop, and more',
    'two words: x',
    'SELECT * FROM t WHERE a=1',
    'https://example.com/a',
    'rate(http_requests_total{job="x"}[5m])',
    '2026-01-02T10:00:00Z',
    '{app="web"}',
    '{app="web", ns=~"shop.*"} |= "error"',
    '{app="web"',
    '{"a": "open',
    '{"a": 1,',
    '{"a": 1 "b": 2}',
    "{'a': 'open}",
    'Tool({"a": 1}',
    '**/*.ts',
    'rate({app="web"}[5m])',
    '{ pods(ns: "x") { name } }',
    'meta:\n  name: x: y',
    '- a\n- b',
    'NaN',
  ])('everything else is the value of `input`: %j', (text) => {
    expect(parseActionArguments(text)).toEqual({ input: text });
  });
});

describe('a hostile Action Input', () => {
  it('with references is not expanded', () => {
    const bomb = [
      'a: &a [x, x]',
      ...[...'bcdefghij'].map((name, i) => `${name}: &${name} [*${'abcdefghi'[i]}, *${'abcdefghi'[i]}]`),
    ];
    expect(JSON.stringify(parseActionArguments(bomb.join('\n'))).length).toBeLessThan(2000);
    expect(parseActionArguments('a: &a\n  b: 1\nc: *a')).toEqual({ input: 'a: &a\n  b: 1\nc: *a' });
  });

  it.each([
    '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}',
    '__proto__: 1, constructor: 2',
    '__proto__:\n  polluted: 1\nconstructor:\n  prototype:\n    polluted: 1',
  ])('changes no prototype: %j', (text) => {
    const read = parseActionArguments(text);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(Object.keys(read)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it.each([
    ['JSON', `{"a": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['YAML', `a: ${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['pairs', `a: ${'['.repeat(1000)}${']'.repeat(1000)}, b: 1`],
  ])('nested without end, in %s, is text', (_, text) => {
    expect(parseActionArguments(text)).toEqual({ input: text });
  });

  const repeated = [
    '[]',
    '[',
    '{',
    '(',
    '"',
    "'",
    'a:',
    'a=[,',
    '&a ',
    '*a ',
    '- ',
    '? ',
    'a: [\n',
    'a:\n ',
    '{"a":',
    '{"a":[',
    'Here is the ',
    "{'a':'",
    '{a: " # ',
  ];

  it.for(IS_FULL ? repeated : repeated.slice(3, 9))(
    'takes linear time: a megabyte of %j, which would take hours otherwise',
    async (piece, { signal }) => {
      const ofLength = (length: number) => (before: string) =>
        `${before}${piece.repeat(length / piece.length)}`.slice(0, length);
      const befores = ['a:\n  ', '{"a": ', 'Here is the input: '];
      // YAML takes a tenth of a second for shorter ones; cubic growth would be minutes.
      const texts = befores.flatMap((before) =>
        [12_000, 1_000_000].map((length) => ofLength(length)(before)),
      );
      await runInThread(new URL('./actionInput.ts', import.meta.url), 'parseActionArguments', texts, signal);
    },
  );
});

describe('any Action Input', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...['a', 'b', ':', ': ', '=', ',', ', ', '\n', '\n  ', '- ', '"', "'", '[', ']', '{', '}', '(', ')'],
      ...[
        '&a ',
        '*a',
        '<<',
        '!!',
        '|',
        '>',
        '#',
        '?',
        '---',
        '__proto__',
        'true',
        'NaN',
        '1.5',
        '\\',
        '\0',
        '🚀',
      ],
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  );
  const text = fc.array(piece, { maxLength: 30 }).map((all) => all.join(''));

  it('makes an object that can be written as JSON, always the same, and never throws', () => {
    fc.assert(
      fc.property(text, (input) => {
        const read = parseActionArguments(input);
        expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
        expect(JSON.parse(JSON.stringify(read))).toEqual(read);
        expect(parseActionArguments(input)).toEqual(read);
      }),
      { numRuns: randomRuns(1000) },
    );
  });

  it('that is a JSON object round-trips', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const json = JSON.stringify(value);
        expect(parseActionArguments(json)).toEqual(JSON.parse(json));
      }),
    );
  });
});
