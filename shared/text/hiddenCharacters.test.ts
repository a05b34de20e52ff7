import { describe, expect, it } from 'vitest';
import { makeVisible } from './hiddenCharacters.ts';

const tags = (text: string) =>
  [...text].map((character) => String.fromCodePoint(0xe0000 + (character.codePointAt(0) ?? 0))).join('');

describe('visible', () => {
  it.each([
    ['plain text', 'OOMKilled: memory 512Mi'],
    ['line breaks and tabs', 'a\n\tb\n'],
    ['letters of every script', 'größe 注文 заказ طلب ไม่ ਪੰਜਾਬੀ'],
    ['emoji with a selector', '⚠️ 🔥 ✔︎ 1️⃣'],
    ['symbols', '→ ≤ 300 µs · “quoted” … —'],
    ['a text that was made visible', makeVisible(`a\u200bb\u001b[31m${tags('obey')}`)],
    ['nothing', ''],
  ])('leaves %s unchanged', (_what, text) => {
    expect(makeVisible(text)).toBe(text);
  });

  it.each([
    ['escape sequences of a terminal', '\u001b[31mred\u001b[0m', '\ufffd[31mred\ufffd[0m'],
    ['NUL, backspace and DEL', 'a\u0000b\bc\u007fd', 'a\ufffdb\ufffdc\ufffdd'],
    ['C1 controls', 'a\u009b31mb', 'a\ufffd31mb'],
    ['zero-width characters', 'pass\u200bword\u2060\ufeff', 'pass\ufffdword\ufffd\ufffd'],
    ['marks that turn text around', '\u202egnp.exe\u2066x\u2069', '\ufffdgnp.exe\ufffdx\ufffd'],
    ['soft hyphens', 'ig\u00adnore', 'ig\ufffdnore'],
    ['fillers', '\u3164\u115f\u034f', '\ufffd\ufffd\ufffd'],
    ['tag characters', `hi${tags('obey')}`, 'hi\ufffd\ufffd\ufffd\ufffd'],
    ['bytes written as variation selectors', '😀\ufe0f\ufe01\u{e0101}\ufe0f', '😀\ufe0f\ufffd\ufffd\ufffd'],
    ['a selector on nothing', '\ufe0f a \ufe0e', '\ufffd a \ufffd'],
    ['half a character', 'a\ud83db\udc00', 'a\ufffdb\ufffd'],
    ['no characters', 'a\uffff\ufffe', 'a\ufffd\ufffd'],
  ])('shows %s', (_what, text, shown) => {
    expect(makeVisible(text)).toBe(shown);
  });

  it('makes one line break of every kind', () => {
    expect(makeVisible('a\r\nb\rc\u2028d\u2029e\u0085f\vg\fh')).toBe('a\nb\nc\nd\ne\nf\ng\nh');
  });
});
