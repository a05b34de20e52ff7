// `inquest erase` deletes questions at Google: the command, the database and a scripted Gemini.

import { describe, expect, it } from 'vitest';
import { putDocument } from '../../../shared/core/contract/store.ts';
import { rawDocumentType } from '../../../shared/core/schema/documentType.ts';
import { cancelSession } from '../../../shared/core/session/cancelSession.ts';
import { removeThoughts } from '../../../shared/features/interactions/removeThoughts.ts';
import { takeWebhook } from '../../../shared/features/interactions/takeWebhook.ts';
import { createBackgroundModel } from '../../../shared/llm/interactions/backgroundModel.ts';
import { callCommand } from '../../support/callCommand.ts';
import { startBench } from '../../support/harness.ts';

const MODEL = {
  provider: 'google',
  model: 'gemini-3.8-flash',
  includeThoughts: true,
  api: 'interactions',
  wait: 'background',
} as const;
const HOUR = 3_600_000;
const NOBODY = 'http://127.0.0.1:1';

/** A session that was cancelled while the model thinks: its question is at Google. */
async function start(failures: { cut: true }[] = []) {
  const turns = [{ text: 'Done.', firstDelayMs: HOUR, ...(failures.length > 0 && { failures }) }];
  const bench = await startBench({ script: { conversations: [{ turns }] }, agent: { model: MODEL } });
  const { gemini, deps, projectId } = bench;
  const env = { GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'a-key' };
  const background = createBackgroundModel({ env });
  deps.background = background;
  const sessionId = await bench.publishAlert({ title: 'Disk of Ada is full' }, { tenant: 'acme' });
  for (let step = 0; gemini.interactions.size === 0 && step < 12; step++) await bench.deliverNext();
  await cancelSession(sessionId, deps);
  await bench.drain();
  const erase = (subject: string[], url = gemini.url) =>
    callCommand(['erase', ...subject, '--yes', '--json'], {
      ...env,
      GOOGLE_GEMINI_BASE_URL: url,
      GOOGLE_CLOUD_PROJECT: projectId,
    });
  const thoughts = () => deps.store.list({ collection: 'thoughts' }, rawDocumentType);
  const sweep = async (passMs: number) => {
    deps.clock.advance(passMs);
    return removeThoughts(background).run(deps);
  };
  return { ...bench, sessionId, erase, thoughts, sweep };
}

describe('erase', () => {
  it.each([
    ['of a session', (sessionId: string) => [sessionId]],
    ['of a tenant', () => ['--tenant', 'acme']],
  ])('%s deletes its question at Google', async (_, subject) => {
    const { gemini, sessionId, erase, thoughts } = await start();
    expect(gemini.interactions.size).toBe(1);
    const { code, stdout } = await erase(subject(sessionId));
    expect(code).toBe(0);
    const { deleted, remaining } = JSON.parse(stdout.join());
    expect(deleted.thoughts).toBe(1);
    expect(JSON.stringify(remaining)).not.toContain('at Google');
    expect(gemini.interactions.size).toBe(0);
    expect(await thoughts()).toEqual([]);
  });

  it('tells of a question that could not be deleted, keeps nothing of the session, and the sweep deletes it', async () => {
    const { gemini, deps, sessionId, erase, thoughts, sweep } = await start();
    const { code, stdout, stderr } = await erase([sessionId], NOBODY);
    expect(code).toBe(0);
    expect(stderr.join()).toContain('a question is left to the sweep: Google did not delete it');
    const { remaining } = JSON.parse(stdout.join());
    expect(remaining[0].what).toContain('questions in the background at Google: 1');
    const [left] = await thoughts();
    expect(left?.value).toMatchObject({
      sessionId: 'erased',
      interactionId: [...gemini.interactions.keys()][0],
    });
    expect(JSON.stringify(left)).not.toMatch(/ada/i);
    // The command's time is that of the machine.
    const aheadMs = Date.now() - deps.clock.now().getTime();
    expect(await sweep(Math.max(0, aheadMs))).toEqual({ started: 0, failures: [] });
    expect(gemini.interactions.size).toBe(0);
    expect(await thoughts()).toEqual([]);
  });

  it.each([0, 2])(
    'leaves a question of %i hours without an id to its webhook and the sweep',
    async (hours) => {
      const { gemini, deps, sessionId, erase, thoughts, sweep } = await start([{ cut: true }]);
      for (const { path, value } of await thoughts()) {
        const createdAt = new Date(Number(value.createdAt) - hours * HOUR);
        await deps.store.commit([putDocument(path, rawDocumentType, { ...value, createdAt })]);
      }
      const { stderr } = await erase([sessionId]);
      expect(stderr.join()).toContain('its id at Google is not known yet');
      const [left] = await thoughts();
      await sweep(1_000);
      expect(await thoughts()).toHaveLength(1);
      const [interactionId = ''] = gemini.interactions.keys();
      expect(await takeWebhook({ interactionId, metadata: { submissionId: left?.id } }, deps)).toBe(false);
      await sweep(HOUR);
      expect(gemini.interactions.size).toBe(0);
      expect(await thoughts()).toEqual([]);
    },
  );
});
