// Acts of people, sweep and ends of executions succeed although another writer is faster repeatedly.

import { describe, expect, it } from 'vitest';
import { ACTS, type Act } from '../../test/support/contendedActs.ts';
import { contendedStore, repeatingStore } from '../../test/support/contendedStore.ts';
import { SAMPLE_TIME } from '../../test/support/samples.ts';
import {
  ADA,
  concluded,
  type Documents,
  depsOf,
  paused,
  sessionId,
  storeWith,
} from '../../test/support/stateRig.ts';
import type { Store } from '../core/contract/store.ts';
import type { AlertDeps } from '../core/kernel/deps.ts';
import { SESSION_RACES } from '../core/kernel/documents/retryConflict.ts';
import { askQuestion } from './questions/askQuestion.ts';
import { addGuidance } from './steering/addGuidance.ts';
import { pauseSession, resumeSession } from './steering/pauseSession.ts';

describe('where another writer is faster each time but the last,', () => {
  it.each(Object.entries(ACTS))(
    '%s is stored',
    async (_, { given, path, after = 0, races = SESSION_RACES, act, expectDone }) => {
      const store = await given();
      const outcome = await act(depsOf(contendedStore(store, { path, after, times: races - 1 })));
      await expectDone(outcome, store);
    },
  );
});

describe('where another writer is faster each time,', () => {
  it.each(Object.entries(ACTS))('%s fails, to be tried again', async (_, { given, path, after = 0, act }) => {
    const store = await given();
    const contended = contendedStore(store, { path, after, times: Number.POSITIVE_INFINITY });
    await expect(act(depsOf(contended))).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
  });
});

describe('where the answer of the store was lost and the repetition was refused,', () => {
  const OWN = ['guidance', 'a pause', 'a resumption', 'a question'];
  it.each(OWN)('%s counts as stored by this call, once', async (name) => {
    const { given, act, expectDone } = ACTS[name] as Act;
    const store = await given();
    await expectDone(await act(depsOf(repeatingStore(store))), store);
  });

  it('guidance, a pause or a resumption of another call does not', async () => {
    const store = await storeWith({});
    const deps = depsOf(store);
    const told = { text: 'Look at the disk.', ...ADA };
    await addGuidance(sessionId, told, deps);
    expect(await addGuidance(sessionId, told, deps)).toMatchObject({ kind: 'told_before' });
    expect(await addGuidance(sessionId, { ...told, by: 'bob' }, deps)).toMatchObject({ kind: 'told' });
    await pauseSession(sessionId, ADA, deps);
    expect(await pauseSession(sessionId, ADA, deps)).toMatchObject({ kind: 'already_paused' });
    await resumeSession(sessionId, ADA, deps);
    expect(await resumeSession(sessionId, ADA, deps)).toMatchObject({ kind: 'not_paused' });
  });
});

describe('where another call does the same in the meantime,', () => {
  /** The session after a faster call, which this one finds after its first try was refused. */
  async function overtaken(other: (deps: AlertDeps) => Promise<unknown>, given: Documents = {}) {
    const store = await storeWith(given);
    const earlier = { now: () => SAMPLE_TIME, every: () => () => {}, after: () => () => {} };
    let isFirst = true;
    const commit: Store['commit'] = async (writes) => {
      if (isFirst) {
        isFirst = false;
        await other({ ...depsOf(store), clock: earlier });
      }
      return store.commit(writes);
    };
    return depsOf({ ...store, commit });
  }

  it('guidance, a pause and a resumption are those of the other call', async () => {
    const told = { text: 'Look at the disk.', ...ADA };
    const tell = (deps: AlertDeps) => addGuidance(sessionId, told, deps);
    expect(await tell(await overtaken(tell))).toMatchObject({ kind: 'told_before' });
    const pause = (deps: AlertDeps) => pauseSession(sessionId, ADA, deps);
    expect(await pause(await overtaken(pause))).toMatchObject({ kind: 'already_paused' });
    const resume = (deps: AlertDeps) => resumeSession(sessionId, ADA, deps);
    const resumed = await resume(await overtaken(resume, { session: { steering: paused } }));
    expect(resumed).toMatchObject({ kind: 'not_paused' });
  });

  it('a question is that of the other call, and this one is refused', async () => {
    const ask = (text: string) => (deps: AlertDeps) => askQuestion(sessionId, { text, ...ADA }, deps);
    const deps = await overtaken(ask('Since when?'), { session: concluded });
    expect(await ask('What now?')(deps)).toMatchObject({ kind: 'busy' });
  });
});
