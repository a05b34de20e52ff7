// Documents of versions before titles: each is read with a title that its own fields allow.

import { expect, it } from 'vitest';
import { sampleAlertKey, sampleCorrelation, sampleRequest } from '../../../test/support/samples.ts';
import {
  alertKeyType,
  chatKeyType,
  correlationType,
  incidentType,
  requestType,
} from '../../lists/documents.ts';
import { documentTitle } from './documentTitle.ts';
import type { DocumentType } from './documentType.ts';

const at = new Date('2026-11-22T09:00:00Z');
const incident = {
  source: 'grafana',
  identity: 'disk-full',
  chain: null,
  sessionId: null,
  firing: true,
  firingAt: at,
  resolvedAt: null,
  since: at,
  retries: 0,
  stopped: false,
  opening: null,
  expireAt: at,
  createdAt: at,
};
const chatKey = { tenantId: 'default', sessionId: 's-1', expireAt: at, createdAt: at };

it.each<[string, DocumentType<{ title: string }>, number, object, string, object?]>([
  ['a key of an alert', alertKeyType, 1, sampleAlertKey({ sessionId: 's-1', at: null }), 'Alert of s-1'],
  ['a key of a chat', chatKeyType, 1, chatKey, 'Chat s-1'],
  ['a correlation', correlationType, 1, sampleCorrelation(), 'Same labels as: NodeDown'],
  [
    'an incident',
    incidentType,
    2,
    incident,
    'Alert disk-full',
    { merged: false, alone: false, firesSince: at },
  ],
  ['a request', requestType, 1, sampleRequest(), 'A request of default'],
])('%s of the version before has a title', (_, type, version, value, title, added = {}) => {
  const { title: _none, ...stored } = { title: '', ...value };
  expect(type.decode({ ...stored, schemaVersion: version }, 'x')).toEqual({ ...stored, title, ...added });
});

it('cuts a title at 300 characters', () => {
  expect(documentTitle('a'.repeat(301))).toBe('a'.repeat(300));
});
