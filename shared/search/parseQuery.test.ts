import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { knowledgeKeySchema } from './knowledge.ts';
import { parseQuery } from './parseQuery.ts';

const fuzzy = { verb: 'fuzzy', threshold: 0.3, limit: 10 };
const search = { verb: 'search', kind: 'resource', limit: 10, minSimilarity: 0.3 };
const TYPES = Array.from({ length: 20 }, (_, index) => `t${index}`);
const traverse = { verb: 'traverse', depth: 1, types: [] };

describe('a query', () => {
  it.each([
    ['LOOKUP payments-api', { verb: 'lookup', keys: ['payments-api'] }],
    ['lookup Payments API', { verb: 'lookup', keys: ['payments-api'] }],
    ['LOOKUP a, B.b ,a', { verb: 'lookup', keys: ['a', 'b-b'] }],
    ['LOOKUP key=a,b', { verb: 'lookup', keys: ['a', 'b'] }],
    ["LOOKUP it's", { verb: 'lookup', keys: ['it-s'] }],
    ['LOOKUP "a, b", c', { verb: 'lookup', keys: ['a-b', 'c'] }],
    ['LOOKUP Größe', { verb: 'lookup', keys: ['größe'] }],
    ['FUZZY connection refused', { ...fuzzy, text: 'connection refused' }],
    ['Fuzzy disk threshold 0.5 Limit 3', { ...fuzzy, text: 'disk', threshold: 0.5, limit: 3 }],
    ['FUZZY disk LIMIT=3 threshold=.5', { ...fuzzy, text: 'disk', threshold: 0.5, limit: 3 }],
    ['FUZZY text="disk"', { ...fuzzy, text: '"disk"' }],
    ['FUZZY query=disk full', { ...fuzzy, text: 'disk full' }],
    ['FUZZY limit LIMIT 3', { ...fuzzy, text: 'limit', limit: 3 }],
    ['FUZZY limit', { ...fuzzy, text: 'limit' }],
    ["FUZZY pod's disk isn't LIMIT 3", { ...fuzzy, text: "pod's disk isn't", limit: 3 }],
    ["FUZZY 'LIMIT 3'", { ...fuzzy, text: 'LIMIT 3' }],
    ["FUZZY 'open", { ...fuzzy, text: "'open" }],
    ['FUZZY over "threshold" high', { ...fuzzy, text: 'over threshold high' }],
    ['FUZZY a=b', { ...fuzzy, text: 'a=b' }],
    ['SEARCH why is checkout slow', { ...search, text: 'why is checkout slow' }],
    ['SEARCH slow IN sessions LIMIT 5', { ...search, text: 'slow', kind: 'session', limit: 5 }],
    [
      'search slow in Runbook min_similarity 0',
      { ...search, text: 'slow', kind: 'runbook', minSimilarity: 0 },
    ],
    ['SEARCH errors in production', { ...search, text: 'errors in production' }],
    ['SEARCH in production', { ...search, text: 'in production' }],
    ['SEARCH slow IN=messages', { ...search, text: 'slow', kind: 'message' }],
    ['SEARCH slow Table=sessions LIMIT=2', { ...search, text: 'slow', kind: 'session', limit: 2 }],
    ['SEARCH table=users is locked', { ...search, text: 'table=users is locked' }],
    ['SEARCH table=users is locked LIMIT 3', { ...search, text: 'table=users is locked', limit: 3 }],
    ['SEARCH slow table sessions', { ...search, text: 'slow table sessions' }],
    ['TRAVERSE payments-api', { ...traverse, key: 'payments-api' }],
    ['traverse Payments API depth 0', { ...traverse, key: 'payments-api', depth: 0 }],
    ['TRAVERSE a DEPTH 4 TYPE x, Owned By', { ...traverse, key: 'a', depth: 4, types: ['x', 'owned', 'by'] }],
    ['TRAVERSE key=a TYPE=x,y DEPTH=2', { ...traverse, key: 'a', depth: 2, types: ['x', 'y'] }],
    ['TRAVERSE depth', { ...traverse, key: 'depth' }],
    [`TRAVERSE a TYPE ${TYPES}`, { ...traverse, key: 'a', types: TYPES }],
    [`FUZZY ${'x'.repeat(1_994)}`, { ...fuzzy, text: 'x'.repeat(1_994) }],
  ])('%s is read', (text, query) => {
    expect(parseQuery(text)).toEqual({ ok: true, query });
  });

  it.each([
    ['', 'Empty query string'],
    [' \n ', 'Empty query string'],
    ['SELECT * FROM knowledge', 'Unknown verb "SELECT". Known verbs: LOOKUP key[, key]; FUZZY text'],
    ['WITH x AS (DELETE FROM a) SELECT 1', 'Unknown verb "WITH"'],
    ['checkout', 'There is no SQL.'],
    ['LOOKUP', 'LOOKUP needs a key'],
    ['LOOKUP ,--', 'LOOKUP needs a key'],
    [`LOOKUP ${Array.from({ length: 21 }, (_, index) => `k${index}`)}`, '20 keys at most; these are 21'],
    ['FUZZY', 'FUZZY needs a text'],
    ['FUZZY LIMIT 3', 'FUZZY needs a text before its parameters'],
    ['FUZZY disk LIMIT', 'LIMIT needs a value'],
    ['FUZZY disk LIMIT 0', 'LIMIT must be a whole number from 1 to 50; this is "0".'],
    ['FUZZY disk LIMIT 51', 'from 1 to 50; this is "51"'],
    ['FUZZY disk LIMIT 1.5', 'a whole number'],
    ['FUZZY disk limit many', 'LIMIT must be a whole number from 1 to 50; this is "many".'],
    ['FUZZY disk THRESHOLD 1.1', 'THRESHOLD must be a number from 0 to 1; this is "1.1".'],
    ['FUZZY disk THRESHOLD -1', 'THRESHOLD must be'],
    ['FUZZY disk THRESHOLD 1e-1', 'THRESHOLD must be'],
    ['FUZZY disk LIMIT 1 LIMIT 2', 'FUZZY has LIMIT twice'],
    ['SEARCH slow IN pods', 'IN names no table "pods"; there are resources, runbooks, sessions, messages.'],
    ['SEARCH slow table=foo', 'IN names no table "foo"; there are resources'],
    ['SEARCH slow IN sessions table=messages', 'SEARCH has IN twice'],
    ['SEARCH slow MIN_SIMILARITY=x', 'MIN_SIMILARITY must be a number'],
    ['TRAVERSE', 'TRAVERSE needs a key'],
    ['TRAVERSE a DEPTH two', 'DEPTH must be a whole number from 0 to 4; this is "two".'],
    ['TRAVERSE a DEPTH 5', 'from 0 to 4; this is "5"'],
    ['TRAVERSE a DEPTH', 'DEPTH must be a whole number from 0 to 4; this is "".'],
    ['TRAVERSE a DEPTH 1 DEPTH 2', 'TRAVERSE has DEPTH twice'],
    ['TRAVERSE a TYPE ,', 'TYPE needs types'],
    [`TRAVERSE a TYPE ${[...TYPES, 'x']}`, 'TYPE takes 20 types at most; these are 21.'],
    [`FUZZY ${'x'.repeat(1_995)}`, 'The query has 2001 characters; 2000 at most.'],
    [`SEARCH ${'x'.repeat(2_000)}`, 'The query has 2007 characters; 2000 at most.'],
  ])('%s is refused', (text, message) => {
    const parsed = parseQuery(text);
    expect(parsed).toMatchObject({ ok: false });
    expect(parsed).toHaveProperty('message', expect.stringContaining(message));
  });

  it('of any text is read or refused with a reason', () => {
    const verb = fc.constantFrom('LOOKUP', 'FUZZY', 'SEARCH', 'TRAVERSE', '');
    fc.assert(
      fc.property(verb, fc.string({ unit: 'grapheme' }), (verb, text) => {
        const parsed = parseQuery(`${verb} ${text}`);
        if (!parsed.ok) expect(parsed.message).not.toBe('');
        else if ('text' in parsed.query) expect(parsed.query.text.trim()).not.toBe('');
        else if ('keys' in parsed.query) for (const key of parsed.query.keys) knowledgeKeySchema.parse(key);
      }),
    );
  });
});
