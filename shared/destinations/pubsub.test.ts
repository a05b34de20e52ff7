// Events on Pub/Sub: their attributes, and their data by the published schemas.

import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DELIVERY_EVENTS } from '../contract/destination.ts';
import { RetryableError } from '../core/errors.ts';
import { createPubsub, renderEvent } from './pubsub.ts';
import { eventSchemas, toCloudEventType } from './pubsubEvents.ts';
import { sampleMessage } from './samples.fixture.ts';

const FOLDER = '../../docs/events/';
const installation = () => ({ project: 'demo', name: 'shop' });
const open = (publishEvent: () => Promise<string>) =>
  createPubsub({ publishEvent, installation })({}, 'events');

describe('events on Pub/Sub', () => {
  it.each(DELIVERY_EVENTS)('%s is a CloudEvent whose data keeps its published schema', (event) => {
    const { attributes, data } = renderEvent(sampleMessage(event));
    expect(attributes).toMatchObject({
      'ce-specversion': '1.0',
      'ce-id': sampleMessage(event).id,
      'ce-type': toCloudEventType(event),
      'ce-time': '2026-11-26T21:02:13.000Z',
      'content-type': 'application/json',
    });
    const schema = eventSchemas()[`${toCloudEventType(event)}.json`];
    expect(
      z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).safeParse(JSON.parse(data)).error,
    ).toBeUndefined();
  });

  it('have the schemas in docs/events, and no others', async () => {
    const schemas = eventSchemas();
    for (const [name, schema] of Object.entries(schemas))
      await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(`${FOLDER}${name}`);
    const files = globSync('*.json', { cwd: new URL(FOLDER, import.meta.url) });
    expect(files.sort()).toEqual(Object.keys(schemas).sort());
  });

  it('are sent with the id of the message in all attempts', async () => {
    const published: unknown[] = [];
    const destination = await createPubsub({
      installation,
      publishEvent: (event) => {
        published.push(event);
        return Promise.resolve('1');
      },
    })({ topic: 'results', project: 'shop' }, 'events');
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await destination.send(sampleMessage('ended'))).toEqual({ outcome: 'sent', ref: '1' });
    expect(published[0]).toEqual(published[1]);
    expect(published[0]).toMatchObject({ topic: 'results', project: 'shop' });
    expect(destination.capabilities.isRepeatSafe).toBe(true);
  });

  it('are sent to the topic of the installation, as their preview shows them', async () => {
    const published: unknown[] = [];
    const publishEvent = (event: unknown) => {
      published.push(event);
      return Promise.resolve('1');
    };
    const destination = await createPubsub({ installation, publishEvent })({}, 'events');
    await destination.send(sampleMessage('ended'));
    const shown = renderEvent(sampleMessage('ended'), '/inquest/demo/shop');
    expect(destination.preview?.(sampleMessage('ended'))).toEqual(shown);
    expect(published).toEqual([{ topic: 'shop-events', project: 'demo', ...shown }]);
  });

  it.each([
    [new RetryableError('PUBLISH_DENIED', 'grant x'), 'refused', 'publish_denied', 'grant x'],
    [new RetryableError('PUBLISH_UNAUTHENTICATED', 'log in'), 'refused', 'publish_unauthenticated', 'log in'],
    [Object.assign(new Error('no'), { code: 5 }), 'refused', 'topic_not_found', 'Create it'],
    [Object.assign(new Error('no'), { code: 14 }), 'unknown', 'publish_failed', 'no answer'],
    [new RetryableError('PUBLISH_FAILED', 'lost'), 'unknown', 'publish_failed', 'lost'],
    [Object.assign(new Error('no'), { code: 'PUBLISH_DENIED' }), 'unknown', 'publish_failed', 'no answer'],
  ])('after %s are %s', async (error, outcome, code, fix) => {
    const destination = await open(() => Promise.reject(error));
    expect(await destination.send(sampleMessage('ended'))).toEqual({
      outcome,
      failure: { code, message: expect.stringContaining(fix) },
    });
  });
});
