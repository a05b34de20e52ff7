// Payloads of tools without an adapter: title, status, severity and resource, and a recovery that joins.

import { describe, expect, it } from 'vitest';
import { VENDORS } from '../../test/alerts/vendors.ts';
import { createMasker } from '../masking/masker.ts';
import { ADAPTERS } from './adapters.ts';
import { composeIncidentKey } from './incident.ts';
import { readAlert } from './index.ts';
import { locateAlert } from './resource.ts';

const masker = createMasker({});
// The recipe of docs/extending.md adds an adapter for one of the tools.
const adapters = ADAPTERS.filter(({ source }) => source !== 'uptime-kuma');

function read(payload: unknown) {
  const reading = readAlert(Buffer.from(JSON.stringify(payload)), masker, { adapters });
  if (!reading.ok) throw new Error(reading.failure.message);
  return reading.alert;
}

const keyOf = (payload: unknown) => composeIncidentKey(read(payload), { tenantId: 'shop', chain: null });

describe('a payload of', () => {
  it.each(VENDORS)('$tool has its title, status, severity and resource', ({ firing, facts }) => {
    const alert = read(firing);
    const { resource } = locateAlert(alert);
    expect({ title: alert.title, status: alert.status, severity: alert.severity, resource }).toEqual({
      ...facts,
      status: 'firing',
    });
  });

  it.each(VENDORS.filter(({ resolved }) => resolved !== undefined))(
    '$tool that resolves a problem belongs to its session',
    ({ firing, resolved }) => {
      expect(read(resolved).status).toBe('resolved');
      expect(keyOf(resolved)).toBeDefined();
      expect(keyOf(resolved)).toBe(keyOf(firing));
    },
  );
});

describe('a list of alerts of an unknown source', () => {
  const labelsOf = (payload: object) => read(payload).labels;

  it('has all labels of the alert that fires, and those of the whole message', () => {
    const resolved = { status: 'resolved', title: 'a', labels: { namespace: 'a', pod: 'one' } };
    const firing = { status: 'firing', title: 'b', labels: { namespace: 'b', pod: 'two' } };
    expect(labelsOf({ environment: 'prod', alerts: [resolved, firing] })).toEqual({
      environment: 'prod',
      namespace: 'b',
      pod: 'two',
    });
    expect(labelsOf({ version: '4', alerts: [firing] })).toEqual({ namespace: 'b', pod: 'two' });
  });
});
