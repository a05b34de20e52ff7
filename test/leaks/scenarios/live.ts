// Secrets in models' streams: each text comes in pieces, and all written ones are kept.

import { deleteDocument, type Store } from '../../../shared/core/contract/store.ts';
import { LiveWriter } from '../../../shared/features/live/liveText.ts';
import { liveTextType, paths } from '../../../shared/lists/documents.ts';
import { sampleExecution } from '../../support/samples.ts';
import type { Plan } from '../plan.ts';
import type { World } from '../world.ts';

/** What stands before and behind the secret. */
const FIELDS: Record<string, [before: string, after: string]> = {
  prose: [' ', ' pod\n\n'],
  'a line': ['\n', '\npod\n\n'],
  'a block of code': ['\n```\n', '\n```\n\n'],
  'a list': ['\n\n- ', '\n- pod\n\n'],
  'a thought': [' ', ' pod\n\n'],
};
const DAY_MS = 24 * 3_600_000;

/** Has models say texts with a secret somewhere, long enough that all of it is shown in the end. */
export async function sayLive(plan: Plan, { deps, outputs }: Pick<World, 'deps' | 'outputs'>): Promise<void> {
  const { maskerFor, log, store } = deps;
  const commit: Store['commit'] = (writes) => {
    outputs.documents.push(...writes.map(({ value }) => value));
    return store.commit(writes);
  };
  let now = Date.now();
  const clock = { now: () => new Date(now), every: () => () => {}, after: () => () => {} };
  for (const [field, [before, after]] of Object.entries(FIELDS)) {
    const secret = plan.text(`live: ${field}`, { longest: 300 });
    const around = [plan.filler(300), plan.filler(500)];
    const text = `${around[0]}${before}${secret}${after}${around[1]}`;
    const execution = sampleExecution({ executionId: `01-${field.replaceAll(' ', '-')}` });
    const live = new LiveWriter(
      {
        held: { current: () => execution, signal: new AbortController().signal, onRenewal: () => {} },
        masker: maskerFor('a'.repeat(32)),
        verbatim: true,
        watchedUntil: new Date(now + DAY_MS),
        isTakeover: false,
      },
      { store: { ...store, commit }, clock, log },
    );
    const take = live.listen();
    for (const delta of text.match(/.{1,40}/gs) ?? []) {
      take({ kind: field === 'a thought' ? 'thinking' : 'text', delta });
      await new Promise((resolve) => setImmediate(resolve));
      now += 500;
    }
    const { sessionId, executionId } = execution;
    const path = paths.live(sessionId, executionId);
    // What shows nothing proves nothing.
    const shown = (await store.get(path, liveTextType))?.value;
    if (shown === undefined || shown.text.length + shown.thinking.length < 300)
      throw new Error(`nothing is shown of ${field}`);
    await store.commit([deleteDocument(path, liveTextType)]);
  }
}
