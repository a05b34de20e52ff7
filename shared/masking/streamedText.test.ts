import { describe, expect, it } from 'vitest';
import { IS_FULL, IS_LONG } from '../../test/support/fullTests.ts';
import { createRandom } from '../engine/testing/random.ts';
import { createMasker } from './masker.ts';
import { assignmentSamples, fileSamples, logSamples, mentionSamples, randomText } from './samples.fixture.ts';
import { finishedPart } from './streamedText.ts';

const WORDS = 'The pods of checkout restart since the new version was rolled out; memory is what they lack. ';
const PROSE = WORDS.repeat(4);
const PASSPHRASE = 'correct horse battery staple under the old oak tree by the river';
const masker = createMasker({ sessionKey: 'samples', known: [PASSPHRASE] });
const shownOf = (text: string) => finishedPart(masker.mask(text).text);

/** What was shown of a growing text and stands otherwise in the whole: `end of what was shown`. */
function changed(full: string, steps: number): string[] {
  const final = masker.mask(full).text;
  const size = Math.max(1, Math.ceil(full.length / steps));
  const ends = Array.from({ length: steps }, (_, index) => Math.min(full.length, index * size));
  return ends
    .map((end) => shownOf(full.slice(0, end)))
    .filter((shown) => !final.startsWith(shown))
    .map((shown) => shown.slice(-60));
}

const inProse = (text: string) => `${PROSE}\n\n${text}\n\n${PROSE}`;
const inFence = (text: string) => inProse(`\`\`\`\n${text}\n\`\`\``);
const everyNth = <T>(all: readonly T[], n: number) => all.filter((_, index) => index % n === 0);

describe('the visible part of a growing text', () => {
  it.each([
    ['lines of logs', everyNth(logSamples(1), IS_LONG ? 1 : IS_FULL ? 2 : 8)],
    ['files and keys', everyNth(fileSamples(1), IS_LONG ? 1 : IS_FULL ? 3 : 12)],
    ['keys behind a name', everyNth(assignmentSamples(1), IS_LONG ? 40 : IS_FULL ? 120 : 480)],
    ['keys near a service', everyNth(mentionSamples(1), IS_LONG ? 20 : IS_FULL ? 40 : 160)],
  ])('is part of the whole, whatever secret follows: %s', (_, samples) => {
    const wrong = samples.flatMap(({ name, text }) =>
      [inProse(text), inFence(text)].flatMap((full) => changed(full, 10).map((end) => `${name}: ${end}`)),
    );
    expect(wrong).toEqual([]);
  });

  const values = Array.from({ length: 20 }, (_, index) => `part-${index}: ${'QmFzZTY0'.repeat(9)}`);
  it.each([
    ['YAML', `apiVersion: v1\ndata:\n  ${values.join('\n  ')}\nkind: Secret\nmetadata:\n  name: db`],
    [
      'JSON',
      JSON.stringify(
        { apiVersion: 'v1', data: Object.fromEntries(values.map((one) => one.split(': '))), kind: 'Secret' },
        null,
        2,
      ),
    ],
    [
      'JSON in a line',
      `{ "data": { ${values.map((one) => `"${one.replace(': ', '": "')}"`).join(', ')} }, "kind": "Secret" }`,
    ],
    ['XML', `<password>${WORDS.repeat(9)}x9</password>`],
    ['a passphrase', `They say it is ${PASSPHRASE}, which is known.`],
    ['a passphrase in lines', `They say it is\n${PASSPHRASE.replaceAll(' ', '\n')}\nwhich is known.`],
  ])('is part of the whole, however long the identifying part of the secret takes to come: %s', (_, text) => {
    for (const full of [inProse(text), inFence(text)]) {
      expect(masker.mask(full).count).toBeGreaterThan(0);
      expect(changed(full, IS_LONG ? 200 : IS_FULL ? 80 : 20)).toEqual([]);
    }
  });

  it.each([16, 24, 32, 40, 48, 56, 64, 70, 76])(
    'is part of the whole for a key without its first line, in lines of %d characters, whatever is before them',
    (width) => {
      const random = createRandom(width);
      const lines = Array.from({ length: Math.ceil(900 / width) }, () => randomText(random, 'base64', width));
      lines.push(`${'-----'}END PRIVATE KEY-----`);
      const prefixes = ['', '    ', '> ', '+', '2026-11-22T10:00:01.123Z stdout F ', 'tls.pem-7-'];
      for (const prefix of prefixes.filter((one) => width >= 40 || one.trim().length < 2)) {
        const text = inProse(lines.map((line) => prefix + line).join('\n'));
        expect(masker.mask(text).text).not.toContain(lines[0]);
        expect(changed(text, IS_LONG ? 200 : IS_FULL ? 40 : 10), prefix).toEqual([]);
      }
    },
  );

  it('ends between words, some way before the end', () => {
    const shown = shownOf(PROSE);
    expect(shown).toBe(PROSE.slice(0, shown.length));
    expect(shown).toMatch(/\s$/);
    expect(PROSE.length - shown.length).toBeGreaterThanOrEqual(200);
    expect(PROSE.length - shown.length).toBeLessThan(240);
    expect(shownOf('Short.')).toBe('');
    expect(shownOf('x'.repeat(1_000))).toBe('');
  });

  it('waits for the end of a block of code, also in a list, and continues behind it', () => {
    for (const [open, close] of [
      ['```yaml', '```'],
      ['- ~~~~', '  ~~~~~'],
      ['> ```', '> ```'],
    ]) {
      const before = `${PROSE}\n`;
      const block = `${open}\n${PROSE}\n${PROSE}`;
      expect(shownOf(before + block).length).toBeLessThanOrEqual(before.length);
      const whole = `${before}${block}\n${close}\n${PROSE}`;
      expect(shownOf(whole).length).toBeGreaterThan(before.length + block.length);
    }
  });
});
