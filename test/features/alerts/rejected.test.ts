import { type DocumentReference, Firestore } from '@google-cloud/firestore';
import { describe, expect, it } from 'vitest';
import { NO_RUNBOOKS } from '../../../shared/config/runbooks.ts';
import { TOPICS } from '../../../shared/core/contract/publisher.ts';
import { handleIteration } from '../../../shared/engine/handleIteration.ts';
import { handleAlert } from '../../../shared/lists/alertHandler.ts';
import { executionType, messageType, paths, rejectedMessageType } from '../../../shared/lists/documents.ts';
import { DEFAULT_MASKING } from '../../../shared/masking/masker.ts';
import type { PublishedMessage } from '../../../shared/store/memory/memoryPublisher.ts';
import { EXECUTION, investigate, startBench } from '../../support/harness.ts';

const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };
const MIB = 1_048_576;

describe('an alert that cannot be accepted is recorded and acked:', () => {
  it.each<[string, string, string]>([
    ['without any bytes', '', 'ALERT_EMPTY'],
    ['of blanks', ' \n\t ', 'ALERT_EMPTY'],
    ['one byte over 1 MiB', 'x'.repeat(MIB + 1), 'ALERT_TOO_LARGE'],
    ['that is null', 'null', 'ALERT_INVALID'],
    ['that is an empty list', '[]', 'ALERT_INVALID'],
    ['of half a JSON object', '{"status": "firing", "alerts": [', 'ALERT_INVALID'],
    ['of binary data', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08', 'ALERT_INVALID'],
  ])('%s', async (_, body, code) => {
    const bench = await startBench({ script });
    await bench.publishAlert(body);
    await bench.deliverNext();
    expect(await bench.rejected()).toMatchObject([
      { function: 'ingestAlert', messageId: '1', failure: { code }, dataBytes: Buffer.byteLength(body) },
    ]);
    expect(bench.deps.publisher.published).toHaveLength(1);
  });

  it('for a chain that does not exist', async () => {
    const bench = await startBench({ script });
    await bench.publishAlert(undefined, { chain: 'tset' });
    await bench.deliverNext();
    expect(await bench.rejected()).toMatchObject([
      {
        failure: { code: 'CONFIG_UNKNOWN_CHAIN', message: expect.stringMatching(/"tset".*test/) },
        attributes: { chain: 'tset' },
      },
    ]);
  });

  it('in one document of the hour, which counts all and keeps twenty, however many arrive at once', async () => {
    const bench = await startBench({ script });
    for (let count = 0; count < 100; count++) await bench.publishAlert('');
    const other = await bench.deps.publisher.publish(TOPICS.alerts, Buffer.from('null'), {});
    const { published } = bench.deps.publisher;
    await Promise.all(published.filter(({ id }) => id !== other).map((message) => bench.deliver(message)));
    const read = () => bench.deps.store.list({ collection: paths.rejectedMessages }, rejectedMessageType);
    const [rejected, ...others] = await read();
    expect(others).toEqual([]);
    expect(rejected?.value).toMatchObject({ function: 'ingestAlert', code: 'ALERT_EMPTY', count: 100 });
    const ids = rejected?.value.samples.map(({ messageId }) => messageId);
    expect(new Set(ids).size).toBe(20);

    bench.deps.clock.advance(3_600_000);
    await bench.deliver(published[0] as PublishedMessage);
    await bench.deliver(published.at(-1) as PublishedMessage);
    expect((await read()).map(({ value }) => [value.code, value.count])).toEqual([
      ['ALERT_EMPTY', 100],
      ['ALERT_EMPTY', 1],
      ['ALERT_INVALID', 1],
    ]);
  });

  it('with a part of its attributes and text, so that twenty of them fit a document', async () => {
    const bench = await startBench({ script });
    const attributes = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`a${n}`, '語'.repeat(2_000)]),
    );
    for (let count = 0; count < 25; count++) {
      await bench.deps.publisher.publish(
        TOPICS.alerts,
        Buffer.from(`{"a": "${'語'.repeat(9_000)}`),
        attributes,
      );
    }
    for (let count = 0; count < 25; count++) await bench.deliverNext();
    const rejected = await bench.rejected();
    expect(rejected).toHaveLength(20);
    expect(Buffer.byteLength(JSON.stringify(rejected[0]?.attributes))).toBeLessThan(11_000);
    expect(Object.keys(rejected[0]?.attributes ?? {}).length).toBeGreaterThan(1);
  });
});

it('an alert of exactly 1 MiB is accepted, and kept whole', async () => {
  const body = 'ä'.repeat(MIB / 2);
  const run = await investigate({ script, alert: body });
  expect(run.session).toMatchObject({ status: 'completed', parts: { alert: { bodyBytes: MIB } } });
  expect(run.alertBody.map(({ text }) => text).join('')).toBe(body);
});

describe('an iteration message that cannot be accepted is recorded and acked:', () => {
  const valid = { schemaVersion: 1, sessionId: 'nobody', executionId: EXECUTION, iteration: 1 };
  it.each<[string, unknown, string, RegExp]>([
    ['no JSON', Buffer.from('{"iteration":'), 'MESSAGE_MALFORMED', /data: not JSON/],
    ['no data', Buffer.from(''), 'MESSAGE_MALFORMED', /data: not JSON/],
    ['a field of the wrong type', { ...valid, iteration: '1' }, 'MESSAGE_MALFORMED', /iteration: /],
    ['iteration 0', { ...valid, iteration: 0 }, 'MESSAGE_MALFORMED', /iteration: /],
    ['an unknown field', { ...valid, hurry: true }, 'MESSAGE_MALFORMED', /hurry/],
    [
      'a newer schema',
      { ...valid, schemaVersion: 2, shard: 7 },
      'MESSAGE_SCHEMA_UNKNOWN',
      /knows schemaVersion 1/,
    ],
    ['no schema', { hello: 'world' }, 'MESSAGE_SCHEMA_UNKNOWN', /knows schemaVersion 1/],
    ['null', Buffer.from('null'), 'MESSAGE_MALFORMED', /data: /],
    ['an unknown session', valid, 'EXECUTION_UNKNOWN', /no execution 01-investigator in session nobody/],
  ])('%s', async (_, data, code, message) => {
    const bench = await startBench({ script });
    await bench.deps.publisher.publish(TOPICS.iterations, data, {});
    await bench.deliverNext();
    expect(await bench.rejected()).toMatchObject([
      { function: 'runIteration', failure: { code, message: expect.stringMatching(message) } },
    ]);
    expect(bench.gemini.requests).toEqual([]);
  });

  it.each([
    ['sessionId', '..'],
    ['sessionId', 'a/b'],
    ['sessionId', '__x__'],
    ['sessionId', 'x'.repeat(201)],
    ['executionId', '../../agents/x'],
    ['executionId', '.'],
  ])('%s that can name no document: %s', async (field, id) => {
    const bench = await startBench({ script });
    await bench.deps.publisher.publish(TOPICS.iterations, { ...valid, [field]: id }, {});
    await bench.deliverNext();
    expect(await bench.rejected()).toMatchObject([
      { failure: { code: 'MESSAGE_MALFORMED', message: expect.stringContaining(` ${field}: `) } },
    ]);
  });

  it('an execution of another session, or one that does not exist', async () => {
    const bench = await startBench({ script });
    const sessionId = await bench.publishAlert();
    await bench.deliverNext();
    await bench.drain();
    await bench.deps.publisher.publish(
      TOPICS.iterations,
      { ...valid, sessionId, executionId: '09-nobody' },
      {},
    );
    await bench.drain();
    expect(await bench.rejected()).toMatchObject([{ failure: { code: 'EXECUTION_UNKNOWN' } }]);
  });

  it('an iteration that was never scheduled', async () => {
    const bench = await startBench({ script });
    const sessionId = await bench.publishAlert();
    await bench.deliverNext();
    const before = await bench.read(sessionId);
    await bench.deps.publisher.publish(TOPICS.iterations, { ...valid, sessionId, iteration: 7 }, {});
    const ahead = bench.deps.publisher.published.at(-1);
    if (ahead) await bench.deliver(ahead);
    expect(await bench.rejected()).toMatchObject([{ failure: { code: 'ITERATION_AHEAD' } }]);
    expect((await bench.read(sessionId)).versions).toEqual(before.versions);
  });
});

describe('an event that is no Pub/Sub message is recorded and acked', () => {
  const config = {
    chains: {},
    defaultChain: '',
    alertRules: {},
    servers: {},
    sessionDeadlineMs: () => 1,
    retentionMs: 1,
    budgets: () => ({ sessionsPerHour: [], dailyTokens: [] }),
    ownServices: [],
    alertPromptBytes: 1,
    masking: DEFAULT_MASKING,
    runbooks: NO_RUNBOOKS,
  };

  it.each([
    [undefined],
    [null],
    ['text'],
    [{}],
    [{ data: 7 }],
    [{ message: { data: '{{{', messageId: '1' } }],
  ])('%o', async (event) => {
    const { deps, rejected } = await startBench({ script });
    await handleAlert(event, config, deps);
    expect(await rejected()).toMatchObject([
      { function: 'ingestAlert', failure: { code: 'MESSAGE_MALFORMED' } },
    ]);
    await handleIteration(event, deps);
    expect(await rejected()).toHaveLength(2);
  });
});

describe('a document of a newer schema', () => {
  it.each(['execution', 'message'] as const)(
    '%s: the message is delivered again, and nothing is written',
    async (kind) => {
      const bench = await startBench({ script });
      const sessionId = await bench.publishAlert();
      await bench.deliverNext();
      const before = await bench.read(sessionId);
      const path =
        kind === 'execution' ? paths.execution(sessionId, EXECUTION) : paths.message(sessionId, EXECUTION, 1);
      await withDocument(bench.projectId, path, async (document) => {
        const known = kind === 'execution' ? executionType.version : messageType.version;
        await document.update({ schemaVersion: known + 1 });
        const { updateTime } = await document.get();
        const message = bench.deps.publisher.published[1];
        if (message === undefined) throw new Error('no iteration');
        await expect(bench.deliver(message)).rejects.toThrow(`schemaVersion ${known + 1} is newer`);
        expect((await document.get()).updateTime).toEqual(updateTime);
        await document.update({ schemaVersion: known });
      });
      const { [path]: _, ...others } = (await bench.read(sessionId)).versions;
      expect(before.versions).toMatchObject(others);
      expect(await bench.rejected()).toEqual([]);
      expect(bench.gemini.requests).toEqual([]);

      // The newer code, so to speak.
      await bench.drain();
      expect((await bench.read(sessionId)).session.status).toBe('completed');
    },
  );
});

describe('a document that is lost or broken', () => {
  it.each<[string, (document: DocumentReference) => Promise<unknown>]>([
    ['lost', (document) => document.delete()],
    ['broken', (document) => document.update({ role: 'nobody' })],
  ])('ends the investigation instead of coming back for ever: %s', async (_, harm) => {
    const bench = await startBench({ script });
    const sessionId = await bench.publishAlert();
    await bench.deliverNext();
    await withDocument(bench.projectId, paths.message(sessionId, EXECUTION, 2), async (document) => {
      const copy = (await document.get()).data() ?? {};
      await harm(document);
      await bench.drain();
      await document.set(copy);
    });
    const run = await bench.read(sessionId);
    expect(run.session).toMatchObject({ status: 'failed', failure: { code: 'DOCUMENT_INVALID' } });
    expect(bench.gemini.requests).toEqual([]);
    expect(bench.deadLetters).toEqual([]);
  });
});

/** Works on a document past the converters, as other code would. */
async function withDocument(
  projectId: string,
  path: string,
  work: (document: DocumentReference) => Promise<void>,
): Promise<void> {
  const firestore = new Firestore({ projectId, clientOptions: { universe_domain: 'googleapis.com' } });
  try {
    await work(firestore.doc(path));
  } finally {
    await firestore.terminate();
  }
}
