import { describe, expect, it } from 'vitest';
import { createRandom } from '../engine/testing/random.ts';
import { createMasker } from './masker.ts';
import { createConcurrencyLimit } from './maskers.ts';
import { STRUCTURES } from './ruleGroups.ts';
import { fileSamples, logSamples, pemKey } from './samples.fixture.ts';
import { CHARACTERS_OF_STEP, createScan } from './scan/scan.ts';

const KNOWN = 'Kn0wn-s3cret-of-all';
const masker = (pieces?: { length: number; overlap: number }) =>
  createMasker({ sessionKey: 'long', known: [KNOWN], ...(pieces && { pieces }) });
const whole = masker({ length: 1_000_000, overlap: 0 });
const inPieces = masker({ length: 3000, overlap: 6000 });
/** The kind of a finding at the border of two rules can differ. */
const shape = (text: string): string => text.replace(/\[masked:[a-z-]+/g, '[masked:');

function longText(seed: number): string {
  const random = createRandom(seed);
  const samples: [string, ...string[]] = [
    KNOWN,
    Buffer.from(KNOWN).toString('base64'),
    pemKey(random),
    `kind: Secret\ndata:\n  pin: ${Buffer.from(`pin ${seed}`).toString('base64')}`,
    Buffer.from('user: app\npassword: w1nter-Kite-77\n'.repeat(9))
      .toString('base64')
      .replace(/.{40}/g, '$&\n'),
    ...[...logSamples(seed), ...fileSamples(seed)].map(({ text }) => text),
  ];
  return Array.from({ length: 150 }, () => `${random.pick(samples)}\n...\n`).join('\n');
}

describe('a long text', () => {
  it.each([1, 2, 3])('is masked in pieces as it is as a whole, with the seed %d', (seed) => {
    const text = longText(seed);
    expect(text.length).toBeGreaterThan(20_000);
    expect(shape(inPieces.mask(text).text)).toBe(shape(whole.mask(text).text));
  });

  it('is masked step by step as it is at once, and leaves time for other work', async () => {
    const text = longText(4);
    let turns = 0;
    let running = true;
    const count = (): void => {
      turns++;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    const masked = await inPieces.maskGradually(text);
    running = false;
    expect(masked).toEqual(inPieces.mask(text));
    expect(turns).toBeGreaterThanOrEqual(text.length / 3000 / 2);
  });

  it('leaves time for other work, also one that is no longer than a piece', async () => {
    let turns = 0;
    const count = (): void => {
      turns++;
      if (turns < 5) setImmediate(count);
    };
    setImmediate(count);
    await createMasker({}).maskGradually('password=w1nter-Kite\n'.repeat(4_000));
    expect(turns).toBe(5);
  });

  it.each([
    ['YAML', 'kind: Secret\ndata:\n  pin: dmFsdWU\n---\n'],
    ['YAML in braces', '{kind: Secret, data: {pin: dmFsdWU}}\n'],
    ['JSON', '{"kind":"Secret","data":{"pin":"dmFsdWU"}},'],
    ['maps of Go', '&Secret{Data:map[string]string{pin: dmFsdWU,},}\n'],
    ['outputs', 'kubectl get secret a -o jsonpath={.data.pin}\ndmFsdWU\n'],
  ])('gives other texts a turn while Secrets are looked for in %s', (_, secret) => {
    const text = secret.repeat(Math.ceil((6 * CHARACTERS_OF_STEP) / secret.length));
    const [first, second] = [createScan(text), createScan(text)];
    const steps = STRUCTURES.map((finder) => ({ one: finder(first), other: finder(second) }));
    const counts = steps.map(({ one, other }) => {
      let count = 0;
      // Both at the same time: what one has read must not move the other.
      while (!one.next().done) {
        other.next();
        count++;
      }
      expect(other.next().done).toBe(true);
      return count;
    });
    expect(Math.max(...counts)).toBeGreaterThanOrEqual(5);
    expect(first.findings).toHaveLength(text.length / secret.length);
    expect(second.findings).toEqual(first.findings);
  });

  it.each([
    ['without a line break', (part: string) => part],
    ['without a blank', (part: string) => part.replaceAll(' ', '_')],
  ])('keeps no secret at a border, %s', (_, write) => {
    const text = write(`${'all is well, '.repeat(300)}password=w1nter-Kite-77;`).repeat(12);
    expect(inPieces.mask(text).text).not.toContain('w1nter');
  });

  it('holds a Secret whose kind comes after several pieces', () => {
    const values = Array.from({ length: 600 }, (_, index) => `  key${index}: dmFsdWU${index}`).join('\n');
    const { text } = inPieces.mask(`data:\n${values}\nkind: Secret\n`);
    expect(text).not.toContain('dmFsdWU');
  });
});

describe('a gate', () => {
  it('runs no more than its limit at the same time, in the order of the calls, and larger work on its own', async () => {
    const gate = createConcurrencyLimit(10);
    const sizes = [6, 4, 1, 25, 3, 9];
    let now = 0;
    const started: number[] = [];
    await Promise.all(
      sizes.map((size) =>
        gate.run(size, async () => {
          started.push(size);
          now += size;
          expect(now).toBeLessThanOrEqual(Math.max(10, size));
          await new Promise((resolve) => setImmediate(resolve));
          now -= size;
        }),
      ),
    );
    expect([started, now]).toEqual([sizes, 0]);
  });

  it('lets the next one run after one that failed', async () => {
    const gate = createConcurrencyLimit(1);
    await expect(gate.run(1, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(gate.run(1, async () => 'yes')).resolves.toBe('yes');
  });
});
