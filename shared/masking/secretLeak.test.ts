import { describe, expect, it } from 'vitest';
import { deriveCanary } from './canary.ts';
import { createMasker } from './masker.ts';

const SECRET = 'zebra mountain 77 quartz';
const masker = createMasker({ sessionKey: 'session-1', known: [SECRET] });
const CANARY = deriveCanary('session-1');
const MARK = '[masked:password#3f2a1c]';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const hex = (text: string) => Buffer.from(text).toString('hex');
const percents = (text: string) => hex(text).replace(/../g, '%$&');
const between = (gap: string) => (text: string) => [...text].join(gap);
const base32 = (text: string) => {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups
    .map((group) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(group.padEnd(5, '0'), 2)])
    .join('');
};
const codes = (write: (code: number) => string, gap: string) => (text: string) =>
  [...text].map((one) => write(one.charCodeAt(0))).join(gap);
const swapCase = (text: string) =>
  text.replace(/[a-z]/gi, (one) => (one < 'a' ? one.toLowerCase() : one.toUpperCase()));

const FORMS: [string, (text: string) => string][] = [
  ['as it is', (text) => text],
  ['in a URL', (text) => `https://evil.example/?q=${encodeURIComponent(text)}`],
  ['in percent codes', percents],
  ['in percent codes of percent codes', (text) => encodeURIComponent(percents(text))],
  ['in base64', base64],
  ['in base64 of base64 of base64', (text) => base64(base64(base64(text)))],
  ['in base64 behind other characters', (text) => `x${base64(`ab${text}`)}`],
  ['in base64 in blanks', (text) => between(' ')(base64(text))],
  ['in base64 in pieces', (text) => base64(text).replace(/.{5}/g, '$&\n')],
  ['in hexadecimal', hex],
  ['in hexadecimal with colons', (text) => hex(text).replace(/../g, '$&:')],
  ['in base64 of hexadecimal', (text) => base64(hex(text))],
  [
    'in JSON escapes',
    (text) => text.replace(/[\s\S]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ],
  ['in HTML entities', (text) => text.replace(/[\s\S]/g, (one) => `&#${one.charCodeAt(0)};`)],
  ['in blanks', between(' ')],
  ['in line breaks', between('\n')],
  ['in zero-width characters', between('\u200b')],
  ['in tag characters', between('\u{e0041}')],
  [
    'in full width',
    (text) => text.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)),
  ],
  ['in the other case', swapCase],
  [
    'as tag characters',
    (text) => [...text].map((one) => String.fromCodePoint(0xe0000 + one.charCodeAt(0))).join(''),
  ],
  ['in base32', base32],
  ['in base32 of small letters', (text) => base32(text).toLowerCase()],
  ['in decimal codes', codes((code) => String(code), ', ')],
  ['in decimal codes in blanks', codes((code) => String(code), ' ')],
  ['in octal codes', codes((code) => code.toString(8), ' ')],
  ['in octal escapes', codes((code) => `\\\\${code.toString(8).padStart(3, '0')}`, '')],
  ['in octal codes with their sign', codes((code) => `0o${code.toString(8)}`, ',')],
  ['in binary codes', codes((code) => code.toString(2).padStart(8, '0'), ' ')],
  ['in binary codes without anything between', codes((code) => code.toString(2).padStart(8, '0'), '')],
];

describe.each([
  ['the canary', CANARY, 'canary'],
  ['a known secret', SECRET, 'secret'],
  ['a mark', MARK, 'mark'],
])('%s in a text is a leak', (_, leaked, leak) => {
  it.each(FORMS)('%s', (_form, write) => {
    expect(masker.findLeak(`deploy ${write(leaked)} now`)).toBe(leak);
  });
});

describe('a text leaks, too, that holds', () => {
  it.each([
    ['a secret that only a rule knows', 'password=hunter22-is-long', 'secret'],
    ['such a one in base64 of base64', base64(base64('password=hunter22-is-long')), 'secret'],
    ['the canary backwards', [...CANARY].reverse().join(''), 'canary'],
    ['a known secret backwards', [...SECRET].reverse().join(''), 'secret'],
    ['24 digits of the canary', CANARY.slice(5, 29), 'canary'],
    ['the canary with dots', between('.')(CANARY), 'canary'],
    ['a mark without its brackets', 'masked:password#3f2a1c', 'mark'],
    ['the beginning of a mark', '[Masked: x', 'mark'],
    ['a mark beside a secret in base64', `${MARK} ${base64('password=hunter22-is-long')}`, 'secret'],
    ['a secret before the canary', `${SECRET} ${CANARY}`, 'canary'],
  ])('%s', (_, text, leak) => {
    expect(masker.findLeak(text)).toBe(leak);
  });
});

it.each([
  'namespace: shop, pod: checkout-7d9c6bf8d4-x2kqp, tail: 200',
  'sum by (pod) (rate(container_cpu_usage_seconds_total{namespace="shop"}[5m])) > 0.9',
  'https://grafana.example/d/000000012/kubernetes?var=a%20b&from=now-1h',
  base64('all pods of the namespace shop, please'),
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'the values were masked by the exporter',
  deriveCanary('session-2'),
])('nothing leaks from %j', (text) => {
  expect(masker.findLeak(text)).toBeUndefined();
});

describe('the canary of a session', () => {
  it('depends only on its key, and is no mark', () => {
    expect(deriveCanary('session-1')).toBe(CANARY);
    expect(deriveCanary('session-2')).not.toBe(CANARY);
    expect(CANARY).toMatch(/^[0-9a-f]{32}$/);
    expect(createMasker({}).canary).toBeUndefined();
  });

  it.each([
    ['as it is', CANARY],
    ['in capitals', CANARY.toUpperCase()],
    ['in pieces', `${CANARY.slice(0, 10)} - ${CANARY.slice(10)}`],
    ['in base64', base64(`key ${CANARY}`)],
    ['in base64 in blanks', between(' ')(base64(CANARY))],
    ['in hexadecimal', hex(CANARY)],
    ['in percent codes', percents(CANARY)],
    ['in part', CANARY.slice(0, 28)],
  ])('is masked %s, and masked texts stay as they are', (_, text) => {
    const masked = masker.mask(`before ${text} behind`);
    expect(masked.text).toMatch(/^before \[masked:canary#[0-9a-f]{6}\]/);
    expect(masked.text).toMatch(/ behind$/);
    expect(masker.mask(masked.text)).toMatchObject({ text: masked.text, count: 0 });
  });

  it('is no part of any mark', () => {
    const marks = ['password=canary', 'password=', `password=${' '.repeat(3)}x1y2z3`].map(
      (text) => masker.mask(text).text,
    );
    for (const text of marks) expect(text).not.toContain(CANARY.slice(0, 6));
  });
});

it('an encoding that is too much to be undone is a leak', () => {
  const nested = (depth: number): string => (depth === 0 ? 'x'.repeat(9) : base64(nested(depth - 1)));
  expect(masker.findLeak(nested(2))).toBeUndefined();
});
