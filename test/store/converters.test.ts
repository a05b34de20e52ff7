import { randomUUID } from 'node:crypto';
import { FieldValue, Firestore } from '@google-cloud/firestore';
import { afterAll, describe, expect, it } from 'vitest';
import { type DocumentType, SchemaVersionError } from '../../shared/core/schema/documentType.ts';
import { EVENT_TYPES } from '../../shared/core/schema/timelineEvent.ts';
import { sessionType, timelineEventType } from '../../shared/lists/documents.ts';
import { documentConverter } from '../../shared/store/firestore/converter.ts';
import { sampleEvent, sampleSession } from '../support/samples.ts';

const converterOf = <T>(type: DocumentType<T>) => documentConverter({ FieldValue }, type);

describe('a converter', () => {
  const db = new Firestore({
    projectId: 'demo-converters',
    clientOptions: { universe_domain: 'googleapis.com' },
  });
  afterAll(() => db.terminate());

  it.each(EVENT_TYPES)('brings a %s event through Firestore unchanged', async (eventType) => {
    const reference = db.doc(`timeline/${randomUUID()}`).withConverter(converterOf(timelineEventType));
    await reference.create({ value: sampleEvent(eventType) });
    expect((await reference.get()).data()).toEqual({ value: sampleEvent(eventType), dropped: [] });
  });

  it('stamps the version and refuses a newer one', async () => {
    const reference = db.doc(`sessions/${randomUUID()}`);
    const converted = reference.withConverter(converterOf(sessionType));
    await converted.create({ value: sampleSession() });
    expect((await reference.get()).get('schemaVersion')).toBe(sessionType.version);
    await reference.update({ schemaVersion: sessionType.version + 1 });
    const snapshot = await converted.get();
    expect(() => snapshot.data()).toThrow(SchemaVersionError);
  });

  it('refuses to write an invalid document, with the path of the fault', async () => {
    const converted = db.doc(`sessions/${randomUUID()}`).withConverter(converterOf(sessionType));
    const invalid = sampleSession({ deadline: 'tomorrow' as never });
    await expect(async () => converted.create({ value: invalid })).rejects.toThrow(
      /valid session: deadline: /,
    );
  });
});
