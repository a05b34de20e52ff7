import { expect, it } from 'vitest';
import { createLearnedSecrets } from '../masking/learnedSecrets.ts';
import { createMaskers } from './maskers.ts';

it('a masker that was made before a secret was learned masks it, too, in all its forms', () => {
  const learned = createLearnedSecrets();
  const masker = createMaskers({ learned })('key');
  const secret = 'zebra mountain 77';
  expect(masker.mask(secret).count).toBe(0);
  learned.learn('metrics', [secret]);
  for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]) {
    expect(masker.mask(`got ${form}.`).text).toMatch(/^got \[masked:known#[0-9a-f]{6}\]\.$/);
  }
  expect(masker.wouldChange(secret)).toBe(true);
  expect(JSON.stringify(masker.maskJson({ a: [secret] }).value)).not.toContain(secret);
});

it('of each owner the four latest are known: one that is refused again and again takes nothing from others', () => {
  const learned = createLearnedSecrets();
  learned.learn('quiet', ['quiet-token', 'its-signature']);
  for (let count = 0; count < 10; count++) learned.learn('loud', [`loud-token-${count}`]);
  const expected = [6, 7, 8, 9].map((count) => `loud-token-${count}`);
  expect(learned.list()).toEqual(['quiet-token', 'its-signature', ...expected]);
});

it('what is learned twice changes nothing', () => {
  const learned = createLearnedSecrets();
  learned.learn('metrics', ['token']);
  const before = learned.list();
  learned.learn('metrics', ['token']);
  expect(learned.list()).toBe(before);
});
