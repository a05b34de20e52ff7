import { describe, expect, it } from 'vitest';
import { createLearnedSecrets } from './learnedSecrets.ts';
import { DEFAULT_MASKING } from './masker.ts';
import { createMaskers } from './maskers.ts';
import { maskInThread } from './maskingThread.ts';

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

it('the masker of a session is the same object until a secret is learned: results are kept by it', () => {
  const learned = createLearnedSecrets();
  const maskerFor = createMaskers({ learned });
  const masker = maskerFor('key');
  expect(maskerFor('key')).toBe(masker);
  expect(maskerFor('other')).not.toBe(masker);
  learned.learn('metrics', ['zebra mountain 77']);
  expect(maskerFor('key')).not.toBe(masker);
  expect(maskerFor('key').canary).toBe(masker.canary);
});

it('of each owner the four latest are known: one that is refused again and again takes nothing from others', () => {
  const learned = createLearnedSecrets();
  learned.learn('quiet', ['quiet-token', 'its-signature']);
  for (let count = 0; count < 10; count++) learned.learn('loud', [`loud-token-${count}`]);
  const expected = [6, 7, 8, 9].map((count) => `loud-token-${count}`);
  expect(learned.list()).toEqual(['quiet-token', 'its-signature', ...expected]);
});

it('learning a secret twice changes nothing', () => {
  const learned = createLearnedSecrets();
  learned.learn('metrics', ['token']);
  const before = learned.list();
  learned.learn('metrics', ['token']);
  expect(learned.list()).toBe(before);
});

describe('a text of more than a million characters', () => {
  const secret = 'password=w1nter-Kite';
  const rest = 'ж'.repeat(1_100_000);
  const long = `${secret}\n${rest}`;

  it('is masked in a thread as without one, with the secrets that the process knows and those that it learned', async () => {
    const learned = createLearnedSecrets();
    const masker = createMaskers({ known: ['Kn0wn-s3cret'], learned })('key');
    learned.learn('metrics', ['zebra-mountain-77']);
    const head = `Kn0wn-s3cret zebra-mountain-77 ${masker.canary} ${secret}`;
    const masked = await masker.maskGradually(`${head}\n${rest}`);
    expect(masked.text).toBe(`${masker.mask(head).text}\n${rest}`);
    expect(masked).toMatchObject({ count: 4, kinds: masker.mask(head).kinds });
  });

  it('has the thread to itself: others wait', async () => {
    let running = 0;
    const maskerFor = createMaskers({
      async inThread(text) {
        expect(++running).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return { text: `${text.length} read`, count: 0, kinds: {} };
      },
    });
    const results = await Promise.all(['a', 'b', 'c'].map((key) => maskerFor(key).maskGradually(long)));
    expect(results.map(({ text }) => text)).toEqual(results.map(() => `${long.length} read`));
  });

  it('is masked without a thread if there can be none', async () => {
    const url = new URL('../core/kernel/missing.ts', import.meta.url);
    const maskerFor = createMaskers({ inThread: (text, setup) => maskInThread(text, setup, { url }) });
    const { text, count } = await maskerFor('key').maskGradually(long);
    expect([text.includes('w1nter-Kite'), count]).toEqual([false, 1]);
  });

  it('becomes unreadable if it takes more memory than the thread has', async () => {
    const maskerFor = createMaskers({ inThread: async () => 'too large' });
    const masked = await maskerFor('key').maskGradually(long);
    expect(masked.text).toMatch(/^\[masked:unreadable#[0-9a-f]{6}\]$/);
    expect(masked).toMatchObject({ count: 1, kinds: { unreadable: 1 } });
  });
});

it('a thread whose heap is too small for a text leaves the process its own', async () => {
  const setup = { known: [], learned: [], rules: DEFAULT_MASKING, sessionKey: 'key' };
  expect(await maskInThread('password=w1nter-Kite\n'.repeat(100_000), setup, { heapMb: 8 })).toBe(
    'too large',
  );
});
