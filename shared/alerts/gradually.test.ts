import { describe, expect, it } from 'vitest';
import { createRandom } from '../engine/testing/random.ts';
import { createMaskers } from '../masking/maskers.ts';
import { logSamples, pemKey } from '../masking/samples.fixture.ts';
import { decodeAlert } from './decodeAlert.ts';
import { maskAlert, maskAlertGradually } from './index.ts';

function opened(body: string) {
  const opening = decodeAlert(Buffer.from(body), {});
  if (!opening.ok) throw new Error(opening.failure.message);
  return opening.opened;
}

/** How many turns of the event loop other work gets while `work` runs. */
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let running = true;
  const count = (): void => {
    turns++;
    if (running) setImmediate(count);
  };
  setImmediate(count);
  await work();
  running = false;
  return turns;
}

const random = createRandom(7);
const lines: [string, ...string[]] = [pemKey(random), ...logSamples(7).map(({ text }) => text)];
const text = (length: number): string => {
  let long = '';
  while (long.length < length) long += `${random.pick(lines)}\n`;
  return long;
};

describe('an alert of more than 100 kB', () => {
  const LENGTH = 104_000;
  it.each([
    ['as text', text(LENGTH)],
    ['in one field of JSON', JSON.stringify({ title: 'Disk full', message: text(LENGTH) })],
    [
      'in many fields of JSON',
      JSON.stringify({
        title: 'Disk full',
        labels: Object.fromEntries(
          Array.from({ length: 1000 }, (_, index) => [`a${index}`, random.pick(lines)]),
        ),
      }),
    ],
    ['of ends of keys', JSON.stringify({ message: `${'-----'}END PRIVATE KEY-----\n`.repeat(LENGTH / 26) })],
  ])('%s, is masked in steps as it is at once, and leaves turns for other requests', async (_, body) => {
    const alert = opened(body);
    const masker = createMaskers({})('0'.repeat(32));
    let gradual: unknown;
    const turns = await countTurns(async () => {
      gradual = await maskAlertGradually(alert, masker);
    });
    expect(turns).toBeGreaterThanOrEqual(10);
    expect(gradual).toEqual(maskAlert(alert, masker));
  });
});
