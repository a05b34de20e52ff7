// Schemas, on both clouds: what they accept, and that a topic accepts nothing else.

import { v1 } from '@google-cloud/pubsub';
import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeSides } from '../official.ts';
import { type Bench, ONCE, openBench } from './bench.ts';
import { CLOUDS, type Cloud } from './clouds.ts';

const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
const UNIMPLEMENTED = 12;

const definition = JSON.stringify({
  type: 'record',
  name: 'Alert',
  fields: [
    { name: 'name', type: 'string' },
    { name: 'count', type: 'int' },
  ],
});

describeSides('schemas of', CLOUDS, ({ start }) => {
  let cloud: Cloud;
  let bench: Bench;
  let client: v1.SchemaServiceClient;
  let parent: string;

  beforeAll(async () => {
    cloud = await start();
    bench = openBench(cloud);
    parent = `projects/${bench.projectId}`;
    const [servicePath = '', port] = cloud.host.split(':');
    client = new v1.SchemaServiceClient({
      projectId: bench.projectId,
      servicePath,
      port: Number(port),
      sslCreds: credentials.createInsecure(),
      universeDomain: 'googleapis.com',
    });
  });
  afterAll(async () => {
    await client.close();
    await bench.close();
    await cloud.stop();
  });

  const nameOf = (schemaId: string) => `${parent}/schemas/${schemaId}`;
  const create = (schemaId: string) =>
    client.createSchema({ parent, schemaId, schema: { type: 'AVRO', definition } }, ONCE);

  it('one is there until it is deleted', async () => {
    await create('kept');
    const name = nameOf('kept');
    await expect(create('kept')).rejects.toMatchObject({ code: ALREADY_EXISTS });
    const [full] = await client.getSchema({ name, view: 'FULL' }, ONCE);
    expect(full).toMatchObject({ type: 'AVRO', definition });
    const [basic] = await client.getSchema({ name, view: 'BASIC' }, ONCE);
    expect(basic.definition).toBe('');
    const list = async () => (await client.listSchemas({ parent, view: 'FULL' }, ONCE))[0];
    expect((await list()).map((schema) => schema.definition)).toEqual([definition]);
    await client.deleteSchema({ name }, ONCE);
    expect(await list()).toEqual([]);
    await expect(client.getSchema({ name }, ONCE)).rejects.toMatchObject({ code: NOT_FOUND });
  });

  it.each([
    ['AVRO', '{"not":"avro"}', INVALID_ARGUMENT],
    ['AVRO', 'no JSON', INVALID_ARGUMENT],
    ['TYPE_UNSPECIFIED', definition, INVALID_ARGUMENT],
    ['PROTOCOL_BUFFER', 'syntax = "proto3"; message A {}', UNIMPLEMENTED],
  ] as const)('%s %s is none', async (type, text, code) => {
    const schema = { type, definition: text };
    await expect(client.validateSchema({ parent, schema }, ONCE)).rejects.toMatchObject({ code });
  });

  it.each([
    ['JSON', '{"name":"a","count":1}', true],
    ['JSON', '{"name":"a"}', false],
    ['JSON', 'no JSON', false],
    ['BINARY', Buffer.from([2, 97, 2]), true],
    ['BINARY', Buffer.from([2]), false],
  ] as const)('a message in %s %s: %s', async (encoding, text, isValid) => {
    const message = Buffer.from(text);
    const schema = { type: 'AVRO' as const, definition };
    const checked = client.validateMessage({ parent, schema, message, encoding }, ONCE);
    if (isValid) await checked;
    else await expect(checked).rejects.toMatchObject({ code: INVALID_ARGUMENT });
  });

  it('a topic of one accepts the same messages, and reports of each message which it was', async () => {
    await create('of-topic');
    const schema = nameOf('of-topic');
    const schemaSettings = { schema, encoding: 'JSON' as const };
    const missing = { schema: nameOf('missing'), encoding: 'JSON' as const };
    await expect(
      bench.publisher.createTopic({ name: bench.topic('bad'), schemaSettings: missing }, ONCE),
    ).rejects.toMatchObject({ code: NOT_FOUND });
    await bench.publisher.createTopic({ name: bench.topic('alerts'), schemaSettings }, ONCE);
    await bench.subscribe('alerts');
    await expect(bench.publish('alerts', '{"name":1}')).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    await bench.publish('alerts', '{"name":"a","count":1}');
    const received: Awaited<ReturnType<Bench['pull']>> = [];
    await cloud.until(async () => {
      received.push(...(await bench.pull('alerts')));
      return received.length > 0;
    });
    expect(received[0]?.attributes).toMatchObject({
      googclient_schemaencoding: 'JSON',
      googclient_schemaname: schema,
    });
  });
});
