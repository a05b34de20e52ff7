// All that is read from each payload. `npx vitest run shared/alerts/readings.test.ts -u` writes the golden
// file: look at its difference.

import { expect, it } from 'vitest';
import { PAYLOADS } from '../../test/alerts/payloads.ts';
import { VENDORS } from '../../test/alerts/vendors.ts';
import { createMasker } from '../masking/masker.ts';
import { ADAPTERS } from './adapters.ts';
import { placeText } from './alertLocation.ts';
import { readAlert } from './index.ts';
import { locateAlert } from './resource.ts';

const READINGS = '../../test/alerts/readings.txt';
const masker = createMasker({});
const receivedAt = new Date('2026-11-20T09:16:00Z');
// The recipe of docs/extending.md adds an adapter for one of the tools.
const adapters = ADAPTERS.filter(({ source }) => source !== 'uptime-kuma');

/** What is read from a message: each fact as text, without what is missing. */
function read(data: Uint8Array): Map<string, string> {
  const reading = readAlert(data, masker, { receivedAt, adapters });
  if (!reading.ok) throw new Error(reading.failure.message);
  const { bodyBytes, ...alert } = reading.alert;
  const { place, resource } = locateAlert(alert);
  const { reason, envelopes, places } = reading.trace;
  const { endedAt } = reading;
  const all = { ...alert, endedAt, resource, place: placeText(place), reason, envelopes, places };
  const texts = Object.entries(all).map(([name, value]): [string, string] => [name, JSON.stringify(value)]);
  return new Map(texts.filter(([, text]) => !['null', '""', '[]', '{}', '0'].includes(text)));
}

const samples = [
  ...PAYLOADS.map(({ file, source, kind, data }) => ({ name: file, group: `${source} ${kind}`, data })),
  ...VENDORS.flatMap(({ tool, firing, resolved }) => [
    { name: tool, group: tool, data: Buffer.from(JSON.stringify(firing)) },
    ...(resolved === undefined
      ? []
      : [{ name: `${tool}: resolved`, group: tool, data: Buffer.from(JSON.stringify(resolved)) }]),
  ]),
];

it('each payload is read as recorded', async () => {
  const first = new Map<string, Map<string, string>>();
  // Of later states of a problem only the differences from the first one.
  const blocks = samples.map(({ name, group, data }) => {
    const facts = read(data);
    const before = first.get(group) ?? new Map<string, string>();
    if (!first.has(group)) first.set(group, facts);
    const names = [...new Set([...facts.keys(), ...before.keys()])];
    const changed = names.filter((fact) => facts.get(fact) !== before.get(fact));
    return [name, ...changed.map((fact) => `  ${fact}: ${facts.get(fact) ?? 'none'}`)].join('\n');
  });
  await expect(`${blocks.join('\n\n')}\n`).toMatchFileSnapshot(READINGS);
});
