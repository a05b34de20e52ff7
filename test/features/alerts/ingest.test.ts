// Deliveries of one alert: they find one session, whatever code and rules handle each of them.

import { describe, expect, it } from 'vitest';
import { createDocument } from '../../../shared/core/contract/store.ts';
import { RetryableError } from '../../../shared/core/errors.ts';
import { CRASH_POINTS } from '../../../shared/core/kernel/crashPoints.ts';
import { allowanceType, paths, sessionType } from '../../../shared/lists/documents.ts';
import { createGuards } from '../../../shared/masking/guards.ts';
import { DEFAULT_MASKING } from '../../../shared/masking/masker.ts';
import { dieAt } from '../../support/dieAt.ts';
import { type Bench, startBench } from '../../support/harness.ts';
import { sampleSession } from '../../support/samples.ts';

const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };
const budgets = { sessionsPerHour: [{ chain: null, limit: 5 }] };
/** Rules of a newer deployment, which mask a word of the title. */
const newer = createGuards({
  rules: { ...DEFAULT_MASKING, rules: [{ kind: 'product', pattern: 'Checkout', ignoreCase: false }] },
});

async function published(bench: Bench) {
  const sessionId = await bench.publishAlert({ title: 'Checkout slow' });
  const message = bench.deps.publisher.published.at(-1);
  if (message === undefined) throw new Error('nothing was published');
  return { sessionId, message };
}

const sessionIdsOf = async ({ deps }: Bench) =>
  (await deps.store.list({ collection: paths.sessions }, sessionType)).map(({ id }) => id);

describe('an alert', () => {
  const { ingestBeforeCommit, ingestAfterCommit, ingestAfterPublish } = CRASH_POINTS;

  it.each([ingestBeforeCommit, ingestAfterCommit, ingestAfterPublish])(
    'that is delivered again has one session, whatever its title is by then: %s',
    async (point) => {
      const bench = await startBench({ script, budgets });
      const { sessionId, message } = await published(bench);
      await dieAt(point, bench.deps, (process) => bench.deliver(message, process));
      await bench.deliver(message, { ...bench.deps, maskerFor: newer });
      await bench.deliver(message);
      const ids = await sessionIdsOf(bench);
      expect(ids).toHaveLength(1);
      const isOld = point !== ingestBeforeCommit;
      expect(ids[0]).toBe(isOld ? sessionId : sessionId.replace('checkout-', ''));
      // A delivery that dies before it stores anything loses its ticket.
      const tickets = await bench.deps.store.list({ collection: 'allowances' }, allowanceType);
      expect(tickets.map(({ value }) => value.used)).toEqual([isOld ? 1 : 2]);
      await bench.drain();
      const run = await bench.read(ids[0] ?? '');
      expect(run.session.status).toBe('completed');
    },
  );

  it('is delivered again until its first message is published', async () => {
    const bench = await startBench({ script });
    const { message } = await published(bench);
    const { publisher } = bench.deps;
    const failing = {
      ...publisher,
      publish: () => Promise.reject(new RetryableError('PUBLISH_FAILED', 'down')),
    };
    for (let delivery = 1; delivery <= 2; delivery++) {
      const delivered = bench.deliver(message, { ...bench.deps, publisher: failing });
      await expect(delivered).rejects.toMatchObject({ code: 'PUBLISH_FAILED' });
    }
    await expect(bench.deliver(message)).rejects.toMatchObject({ code: 'EXECUTION_WAITING' });
  });

  it('whose id another session has gets a longer one', async () => {
    const bench = await startBench({ script });
    const { sessionId, message } = await published(bench);
    const other = sampleSession({ sessionId, status: 'completed' });
    await bench.deps.store.commit([createDocument(paths.session(sessionId), sessionType, other)]);
    await bench.deliver(message);
    await bench.deliver(message);
    const ids = await sessionIdsOf(bench);
    expect(ids).toHaveLength(2);
    expect(ids[1]).toMatch(new RegExp(`^${sessionId}[0-9a-f]{10}$`));
  });

  it('that names no session it is a rerun of is refused', async () => {
    const bench = await startBench({ script });
    await bench.publishAlert({ title: 'Checkout slow' }, { rerunOf: '../x' });
    await bench.drain();
    expect(await sessionIdsOf(bench)).toEqual([]);
    const [rejected] = await bench.rejected();
    expect(rejected).toMatchObject({ failure: { code: 'MESSAGE_MALFORMED' } });
  });
});
