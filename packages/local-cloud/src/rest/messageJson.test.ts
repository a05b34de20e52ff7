// JSON of messages of the protocol, there and back.

import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { PROTOS } from '../firestore/values/protos.ts';
import { decode, encode, loadProtos } from '../protocol/protoFiles.ts';
import { StatusError, status } from '../protocol/status.ts';
import { messageFromJson, messageToJson } from './messageJson.ts';
import { findRoute, listAnnotatedRoutes } from './routes.ts';
import { findJsonForm } from './wellKnown.ts';

const PUBSUB = createRequire(import.meta.url).resolve('@google-cloud/pubsub/build/protos/protos.json');
const firestore = (name: string) => loadProtos(PROTOS).lookupType(`google.firestore.v1.${name}`);
const pubsub = (name: string) => loadProtos(PUBSUB).lookupType(`google.pubsub.v1.${name}`);
type Type = ReturnType<typeof firestore>;

/** JSON as a message on the wire, and that as JSON. */
const through = (type: Type, json: unknown): unknown =>
  messageToJson(type, decode(type, encode(type, messageFromJson(type, json))));
const value = (json: unknown): unknown => through(firestore('Value'), json);

it.each<[string, unknown]>([
  ['null', { nullValue: null }],
  ['false', { booleanValue: false }],
  ['zero', { integerValue: '0' }],
  ['the largest integer', { integerValue: '9223372036854775807' }],
  ['a number', { doubleValue: 1.5 }],
  ['no number', { doubleValue: 'NaN' }],
  ['infinity', { doubleValue: '-Infinity' }],
  ['a negative zero', { doubleValue: '-0' }],
  ['an empty text', { stringValue: '' }],
  ['bytes', { bytesValue: 'AP+/' }],
  ['a time', { timestampValue: '2026-11-23T18:00:00.123456Z' }],
  ['a time before 1970', { timestampValue: '1969-12-31T23:59:59.500Z' }],
  ['the first time', { timestampValue: '0001-01-01T00:00:00Z' }],
  ['a place', { geoPointValue: { latitude: 1.5, longitude: -2 } }],
  ['an empty map', { mapValue: {} }],
  [
    'a list',
    {
      arrayValue: {
        values: [{ stringValue: 'a' }, { mapValue: { fields: { 'a b': { nullValue: null } } } }],
      },
    },
  ],
])('keeps %s', (_, json) => expect(value(json)).toEqual(json));

it.each<[string, unknown, unknown]>([
  ['an integer as a number', { integerValue: -5 }, { integerValue: '-5' }],
  ['names of the protocol file', { integer_value: 5 }, { integerValue: '5' }],
  ['numbers as texts', { doubleValue: '1e3' }, { doubleValue: 1000 }],
  ['null by name', { nullValue: 'NULL_VALUE' }, { nullValue: null }],
  [
    'a time of another zone',
    { timestampValue: '2026-01-01T01:30:00+01:30' },
    { timestampValue: '2026-01-01T00:00:00Z' },
  ],
  ['base64 for addresses, without padding', { bytesValue: '-_8' }, { bytesValue: '+/8=' }],
  ['null for a field that is not set', { integerValue: '5', stringValue: null }, { integerValue: '5' }],
])('reads %s', (_, json, expected) => expect(value(json)).toEqual(expected));

it.each<[string, unknown, RegExp]>([
  ['an unknown field', { wrongValue: 1 }, /Unknown name "wrongValue"/],
  ['a field of every object', { constructor: 1 }, /Unknown name "constructor"/],
  ['an unknown field within', { mapValue: { fields: { a: { wrong: 1 } } } }, /'mapValue\.fields\.a'/],
  ['a list for an object', [], /object/],
  ['a text for a bool', { booleanValue: 'true' }, /booleanValue/],
  ['a number for a text', { stringValue: 1 }, /stringValue/],
  ['a fraction for an integer', { integerValue: 1.5 }, /integerValue/],
  ['an integer of 65 bits', { integerValue: '9223372036854775808' }, /integerValue/],
  ['an empty text for a number', { doubleValue: '' }, /doubleValue/],
  ['bytes that are none', { bytesValue: '*' }, /bytesValue/],
  ['a cut base64', { bytesValue: 'AAAAA' }, /bytesValue/],
  ['a day that was not', { timestampValue: '2026-02-30T00:00:00Z' }, /timestampValue/],
  ['a time without a zone', { timestampValue: '2026-02-03T00:00:00' }, /timestampValue/],
  ['two of one', { stringValue: 'a', integerValue: '1' }, /already set/],
  ['one field by both its names', { stringValue: 'a', string_value: 'b' }, /twice/],
  ['null in a list', { arrayValue: { values: [null] } }, /values\[0\]/],
  ['a reserved key', { mapValue: JSON.parse('{"fields": {"__proto__": {}}}') }, /__proto__/],
])('refuses %s', (_, json, text) => {
  const read = () => messageFromJson(firestore('Value'), json);
  expect(read).toThrow(StatusError);
  expect(read).toThrow(text);
});

it('refuses values that are nested too deeply, without running out of stack', () => {
  let json: unknown = { stringValue: 'a' };
  for (let depth = 0; depth < 5000; depth++) json = { arrayValue: { values: [json] } };
  expect(() => value(json)).toThrow(/levels deep/);
});

it('has durations, masks, wrappers, names of enums and fields at their zero as JSON has them', () => {
  const subscription = {
    name: 'projects/p/subscriptions/s',
    messageRetentionDuration: '600.500s',
    labels: { a: 'b' },
    ackDeadlineSeconds: 0,
    retainAckedMessages: false,
  };
  const { ackDeadlineSeconds, retainAckedMessages, ...rest } = subscription;
  expect(through(pubsub('Subscription'), subscription)).toEqual(rest);
  const update = { topic: { name: 't' }, updateMask: 'labels,messageRetentionDuration' };
  expect(through(pubsub('UpdateTopicRequest'), update)).toEqual(update);
  expect(messageFromJson(pubsub('UpdateTopicRequest'), update).updateMask.paths).toEqual([
    'labels',
    'message_retention_duration',
  ]);
  const query = { limit: 0, orderBy: [{ field: { fieldPath: 'a' }, direction: 'DESCENDING' }] };
  expect(through(firestore('StructuredQuery'), query)).toEqual(query);
  expect(() => through(firestore('StructuredQuery'), { orderBy: [{ direction: 'UP' }] })).toThrow(
    /has to be one of .*ASCENDING/,
  );
  for (const duration of ['1', 1, '1.0000000001s', '999999999999s']) {
    const json = { messageRetentionDuration: duration };
    expect(() => through(pubsub('Subscription'), json)).toThrow(/messageRetentionDuration/);
  }
});

it('has enums by their numbers when asked', () => {
  const type = firestore('StructuredQuery');
  const query = { orderBy: [{ field: { fieldPath: 'a' }, direction: 'DESCENDING' }] };
  const message = decode(type, encode(type, messageFromJson(type, query)));
  const numbers = { orderBy: [{ field: { fieldPath: 'a' }, direction: 2 }] };
  expect(messageToJson(type, message, 'numbers')).toEqual(numbers);
  expect(through(type, numbers)).toEqual(query);
});

it('has structures as plain JSON', () => {
  const summary = { indexesUsed: [{ a: 'b', c: [1, true, null], d: { e: 2 } }] };
  expect(through(firestore('PlanSummary'), summary)).toEqual(summary);
  expect(findJsonForm('.google.protobuf.constructor')).toBeUndefined();
});

describe('a path', () => {
  const services = [
    { protos: PROTOS, name: 'google.firestore.v1.Firestore', rpcs: {} },
    ...['Publisher', 'Subscriber', 'SchemaService'].map((name) => ({
      protos: PUBSUB,
      name: `google.pubsub.v1.${name}`,
      rpcs: {},
    })),
  ];
  const routes = listAnnotatedRoutes(services);
  const find = (text: string) => {
    const [method = '', path = ''] = text.split(' ');
    const found = findRoute(routes, method, path);
    return found && [found.route.name.split('.').slice(-2).join('.'), found.fields];
  };
  const database = 'projects/p/databases/(default)';
  const root = `${database}/documents`;

  it.each<[string, string, Record<string, string>]>([
    ['PUT /v1/projects/p/topics/t', 'Publisher.CreateTopic', { name: 'projects/p/topics/t' }],
    ['PATCH /v1/projects/p/topics/t', 'Publisher.UpdateTopic', { 'topic.name': 'projects/p/topics/t' }],
    ['POST /v1/projects/p/topics/t:publish', 'Publisher.Publish', { topic: 'projects/p/topics/t' }],
    ['GET /v1/projects/p/topics', 'Publisher.ListTopics', { project: 'projects/p' }],
    ['GET /v1/projects/a.com:p/topics', 'Publisher.ListTopics', { project: 'projects/a.com:p' }],
    ['GET /v1/projects/p/topics/a%25b', 'Publisher.GetTopic', { topic: 'projects/p/topics/a%b' }],
    [
      'DELETE /v1/projects/p/schemas/s:deleteRevision',
      'SchemaService.DeleteSchemaRevision',
      { name: 'projects/p/schemas/s' },
    ],
    ['POST /v1/projects/p/schemas:validate', 'SchemaService.ValidateSchema', { parent: 'projects/p' }],
    [`GET /v1/${root}/c/d`, 'Firestore.GetDocument', { name: `${root}/c/d` }],
    [`GET /v1/${root}/c/d/e/a:b%2Fc`, 'Firestore.GetDocument', { name: `${root}/c/d/e/a:b/c` }],
    [`GET /v1/${root}/c`, 'Firestore.ListDocuments', { parent: root, collectionId: 'c' }],
    [`GET /v1/${root}/c/d/e`, 'Firestore.ListDocuments', { parent: `${root}/c/d`, collectionId: 'e' }],
    [`POST /v1/${root}/c`, 'Firestore.CreateDocument', { parent: root, collectionId: 'c' }],
    [`POST /v1/${root}/c/d/e`, 'Firestore.CreateDocument', { parent: `${root}/c/d`, collectionId: 'e' }],
    [`POST /v1/${root}:runQuery`, 'Firestore.RunQuery', { parent: root }],
    [`POST /v1/${root}/c/d:runQuery`, 'Firestore.RunQuery', { parent: `${root}/c/d` }],
    [`POST /v1/${root}:commit`, 'Firestore.Commit', { database }],
  ])('%s is %s', (path, name, fields) => {
    const found = Object.fromEntries(
      Object.entries(fields).map(([field, text]) => [
        field === 'collectionId' ? 'collection_id' : field,
        text,
      ]),
    );
    expect(find(path)).toEqual([name, found]);
  });

  it.each([
    'GET /v1/projects/p/topics/t:getIamPolicy',
    'GET /v1/projects/p/nothing',
    'GET /v1/projects//topics',
    'POST /v1/projects/p/topics/t',
    `GET /v1/${database}`,
    `DELETE /v1/${root}/c`,
    `POST /v1/${root}/c/d`,
    'GET /v2/projects/p/topics',
  ])('%s is none', (path) => expect(find(path)).toBeUndefined());

  it('with a percent sign that starts no escape is refused', () => {
    expect(() => find('GET /v1/projects/p/topics/a%')).toThrow(
      expect.objectContaining({ code: status.INVALID_ARGUMENT }),
    );
  });
});
