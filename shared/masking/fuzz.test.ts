import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/fullTests.ts';
import { createRandom } from '../engine/testing/random.ts';
import { createMasker } from './masker.ts';
import { assignmentSamples, fileSamples, logSamples, mentionSamples, randomText } from './samples.fixture.ts';

const SEED = 20261122;
const random = createRandom(SEED);
/** Known secrets with what encodings treat in special ways. */
const KNOWN = [
  'Tr0ub4dor&3',
  'p@ss/w+rd=="x"',
  "it's a <secret>",
  'a\\b\\c\\nd9',
  'ключ-к-замку-77',
  'naïve pass-phrase 12',
  '100%sure?yes',
  '{"k":"v1"}!',
  randomText(random, 'base64', 40),
  randomText(random, 'hex', 32),
  randomText(random, 'url', 64),
];
const masker = createMasker({ sessionKey: 'fuzz', known: KNOWN });

const base64 = (text: string) => Buffer.from(text).toString('base64');
/** How a secret comes into a text, with what stands beside it. */
const ENCODINGS: Record<string, (secret: string, beside: string) => string> = {
  raw: (secret) => secret,
  url: (secret) => encodeURIComponent(secret),
  'url in small letters': (secret) =>
    encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  'url twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  form: (secret) => new URLSearchParams({ a: secret }).toString(),
  base64,
  'base64 without padding': (secret) => base64(secret).replace(/=+$/, ''),
  'base64 for urls': (secret) => Buffer.from(secret).toString('base64url'),
  'base64 of more': (secret, beside) => base64(`${beside}${secret}${beside}`),
  'base64 of more, shifted': (secret, beside) => base64(`x${beside}${secret}`),
  'base64 in lines': (secret, beside) => base64(`${beside}${secret}${beside}`).replace(/.{20}/g, '$&\n'),
  json: (secret) => JSON.stringify({ a: secret }),
  'json twice': (secret) => JSON.stringify(JSON.stringify({ a: secret })),
  'json three times': (secret) => JSON.stringify(JSON.stringify(JSON.stringify([secret]))),
  'json of Go': (secret) =>
    JSON.stringify(secret).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
  html: (secret) => secret.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`),
  'html names': (secret) =>
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  hex: (secret) => Buffer.from(secret).toString('hex'),
  'hex in capitals': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'zero width': (secret) => [...secret].join('\u200b'),
  colours: (secret) => `\u001b[31m${secret.slice(0, 4)}\u001b[0m${secret.slice(4)}`,
  'two lines': (secret) => `${secret.slice(0, 5)}\n${secret.slice(5)}`,
};

/** What a reader could do with a masked text. */
function readings(text: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning of a colour
  const seen = text.replace(/\u200b|\u001b\[\d+m/g, '');
  const joined = seen.replace(/\s*\n\s*/g, '');
  const runs = joined.match(/[A-Za-z0-9+/_-]{8,}={0,2}/g) ?? [];
  const decodedRuns = runs.flatMap((run) =>
    [0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), 'base64').toString('utf8')),
  );
  const hex = (joined.match(/(?:[0-9a-f]{2}){4,}/gi) ?? []).map((run) =>
    Buffer.from(run, 'hex').toString('utf8'),
  );
  const unescaped = [seen, joined].map((form) =>
    form.replace(/%([0-9A-F]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
  );
  return [text, seen, joined, ...unescaped, ...decodedRuns, ...hex];
}

/** Texts that secrets stand in: words, signs, what rules look for, and characters of all kinds. */
const surroundings = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom(
        'password',
        '=',
        ': ',
        '"',
        '\n',
        '\\n',
        '{',
        '}',
        ' token ',
        'kind: Secret\n',
        'data:\n  a: ',
        '://',
        '@',
        '-----BEGIN PRIVATE KEY-----',
        '[masked:',
        '[masked:known#123456]',
        '\u001b[0m',
        '%22',
        '&quot;',
        'Bearer ',
        '\ud800',
        '\u200b',
        '   ',
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

describe('a known secret', () => {
  it.each(Object.entries(ENCODINGS))('%s, leaves nothing that reads as it', (_, encode) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...KNOWN),
        surroundings,
        surroundings,
        fc.constantFrom('', 'x', 'ab', 'abc: '),
        (secret, before, after, beside) => {
          // Beside other letters, base64 and hexadecimal would be another text.
          const masked = masker.mask(`${before} ${encode(secret, beside)} ${after}`).text;
          for (const reading of readings(masked)) expect(reading).not.toContain(secret);
        },
      ),
      { seed: SEED, numRuns: randomRuns(60) },
    );
  });
});

describe('masking', () => {
  const samples = [...logSamples(5), ...fileSamples(6), ...mentionSamples(7), ...assignmentSamples(8)].map(
    ({ text }) => text,
  );
  const anything = fc
    .array(fc.oneof(surroundings, fc.constantFrom(...samples, ...KNOWN)), { maxLength: 6 })
    .map((parts) => parts.join(''));

  it('of a masked text changes nothing', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const once = masker.mask(text).text;
        expect(masker.mask(once)).toEqual({ text: once, count: 0, kinds: {} });
      }),
      { seed: SEED, numRuns: randomRuns(1500) },
    );
  });

  it('gives the same in another process, and unmasked text is a part of the original', () => {
    const other = createMasker({ sessionKey: 'fuzz', known: [...KNOWN].reverse() });
    fc.assert(
      fc.property(anything, (text) => {
        const masked = masker.mask(text);
        expect(other.mask(text)).toEqual(masked);
        expect(masked.kinds.unreadable).toBeUndefined();
        expect(masker.wouldChange(text)).toBe(masked.text !== text);
        expect(Object.values(masked.kinds).reduce((sum, count) => sum + count, 0)).toBe(masked.count);
        let from = 0;
        for (const piece of masked.text.split(/\[masked:[a-z0-9-]+(?:#[0-9a-f]+)?\]/)) {
          from = text.indexOf(piece, from);
          expect(from).toBeGreaterThanOrEqual(0);
          from += piece.length;
        }
      }),
      { seed: SEED, numRuns: randomRuns(500) },
    );
  });
});
