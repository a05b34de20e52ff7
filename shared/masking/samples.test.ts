import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { IS_LONG } from '../../test/support/fullTests.ts';
import { createMasker } from './masker.ts';
import {
  assignmentSamples,
  fileSamples,
  logSamples,
  mentionSamples,
  type Sample,
} from './samples.fixture.ts';

const masker = createMasker({ sessionKey: 'samples' });

/** Several tests look at the same thousands of samples. */
const maskedTexts = new Map<string, string>();
function maskOnce(text: string): string {
  const masked = maskedTexts.get(text) ?? masker.mask(text).text;
  maskedTexts.set(text, masked);
  return masked;
}

/** A text that is masked, without the digits of the marks. */
const maskText = (text: string) => maskOnce(text).replaceAll(/#[0-9a-f]{6,}(?=\])/g, '');

function missed(samples: readonly Sample[]): string[] {
  return samples
    .filter(({ text, secrets }) => secrets.some((secret) => maskOnce(text).includes(secret)))
    .map(({ name }) => name);
}

// What docs/masking.md says: `PRINT_MEASURED=1 npx vitest run shared/masking/samples.test.ts`.
describe.each([
  ['lines of logs', logSamples, 61],
  ['keys of services behind a name, in notations of files and programs', assignmentSamples, 3842],
  ['files and notes of tools, tokens alone, private keys', fileSamples, 139],
  ['keys near the name of a service', mentionSamples, 1000],
])('%s', (name, samplesOf, total) => {
  it.each(IS_LONG ? [1, 2, 3] : [1])('lose all their secrets, with the seed %d', (seed) => {
    const samples = samplesOf(seed);
    const left = missed(samples);
    if (process.env.PRINT_MEASURED)
      console.log(`${name}, seed ${seed}: ${samples.length - left.length} of ${samples.length}`);
    expect(samples).toHaveLength(total);
    expect(left).toEqual([]);
  });
});

it('keys behind a name are masked, and nothing around them', () => {
  const samples = [
    ...assignmentSamples(1),
    ...mentionSamples(1).filter(({ name }) => !name.endsWith(', xml')),
  ];
  const changed = samples.filter(({ text, secrets: [secret = ''] }) => {
    // Behind an option, the first dash of a key stays.
    const hidden = maskText(text).replaceAll(/-?\[masked:[a-z0-9-]+\]/g, '*');
    return hidden !== text.replaceAll(secret, '*');
  });
  expect(changed.map(({ name }) => name)).toEqual([]);
});

it('lines of logs, files and notes are masked like this', async () => {
  const texts = [...logSamples(1), ...fileSamples(1)].map(
    ({ name, text }) => `## ${name}\n${maskText(text)}\n`,
  );
  await expect(texts.join('\n')).toMatchFileSnapshot('./samples.masked.txt');
});

describe('texts without secrets stay as they are', () => {
  const files = globSync([
    'examples/**/*',
    'config/*',
    '{docs,shared/features}/**/*.md',
    'README.md',
    'CHANGELOG.md',
    'test/masking/*.txt',
  ])
    // The log of this example is there to be masked.
    .filter((file) => !file.endsWith('/invoices.previous.log'))
    .filter((file) => /\.\w+$/.test(file) && !file.endsWith('.ts'))
    .map((file) => file.replaceAll('\\', '/'));

  it.each(files)('%s', (file) => {
    const text = readFileSync(file, 'utf8');
    expect(masker.mask(text).text).toBe(text);
  });

  it('as they do in the strings of JSON', () => {
    const text = JSON.stringify({ log: readFileSync('test/masking/usual-logs.txt', 'utf8') });
    expect(masker.mask(text).text).toBe(text);
  });
});
