import { describe, expect, it } from 'vitest';
import { listDecodings, withoutGaps } from './decodings.ts';

const TEXT = 'zebra Mountain 77 quartz';
const bytes = Buffer.from(TEXT);
const each = (write: (code: number) => string, sign = '') => [...bytes].map(write).join(sign);
const base64 = bytes.toString('base64');
const BASE32 = 'PJSWE4TBEBGW65LOORQWS3RAG43SA4LVMFZHI6Q';

describe('a text is decoded from', () => {
  it.each([
    ['base64', base64],
    ['base64 of URLs', bytes.toString('base64url')],
    ['base64 behind other letters', `q=ab${base64}`],
    ['base64 in lines', base64.replace(/.{8}/g, '$&\n')],
    ['base64 with invisible characters', base64.replace(/.{8}/g, '$&\u200b')],
    ['base64 of UTF-16', Buffer.from(TEXT, 'utf16le').toString('base64')],
    ['base64 three times', Buffer.from(Buffer.from(base64).toString('base64')).toString('base64')],
    ['hexadecimal', bytes.toString('hex')],
    ['hexadecimal in capitals', bytes.toString('hex').toUpperCase()],
    ['hexadecimal behind a digit', `0${bytes.toString('hex')}`],
    ['hexadecimal with colons', each((code) => code.toString(16), ':')],
    ['base32', BASE32],
    ['base32 in small letters, behind others', `abc${BASE32.toLowerCase()}`],
    ['percents', each((code) => `%${code.toString(16)}`)],
    ['escapes of JSON', each((code) => `\\u00${code.toString(16)}`)],
    ['escapes with braces', each((code) => `\\u{${code.toString(16)}}`)],
    ['escapes of bytes', each((code) => `\\x${code.toString(16)}`)],
    ['entities', each((code) => `&#${code};`)],
    ['hexadecimal entities', each((code) => `&#x${code.toString(16)};`)],
    ['decimal codes', each(String, ', ')],
    ['octal codes', each((code) => `\\${code.toString(8)}`)],
    ['octal codes with a prefix', each((code) => `0o${code.toString(8)}`, ' ')],
    ['octal codes in one', each((code) => code.toString(8).padStart(3, '0'))],
    ['binary codes', each((code) => code.toString(2).padStart(8, '0'), ' ')],
    ['binary codes in one, behind a digit', `1${each((code) => code.toString(2).padStart(8, '0'))}`],
    ['characters of tags', each((code) => String.fromCodePoint(0xe0000 + code))],
  ])('%s', (_, written) => {
    const found = listDecodings(`sent ${written} on`) ?? [];
    expect(found.filter((text) => text.includes(TEXT))).not.toEqual([]);
  });
});

it.each([
  ['a%20b', ['a b']],
  ['%c3%a4', ['ä']],
  ['&lt;a&GT;&quot;&colon;&num;', ['<a>":#']],
  ['&#1114111;', ['\u{10ffff}']],
  ['&#1114112;', []],
  ['%2541', ['%41', 'A']],
  ['no code at all', []],
  ['', []],
])('%j is decoded as a whole to %j', (text, expected) => {
  expect(listDecodings(text)).toEqual(expected);
});

it('a text without gaps has plain characters, and no blanks', () => {
  expect(withoutGaps('ｐａ ss\u200b-\u00ad１\t2\n')).toBe('pass-12');
  expect(withoutGaps('pass-12')).toBe('pass-12');
});
