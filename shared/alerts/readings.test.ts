// All that is read from each payload, and the fields by which its source is recognised.
// `npx vitest run shared/alerts/readings.test.ts -u` writes the golden files: look at their difference.

import { expect, it } from 'vitest';
import { PAYLOADS } from '../../test/alerts/payloads.ts';
import { VENDORS } from '../../test/alerts/vendors.ts';
import { createMasker } from '../masking/masker.ts';
import { ADAPTERS } from './adapters.ts';
import { placeText } from './alertLocation.ts';
import { readAlert } from './index.ts';
import { removeEnvelopes } from './removeEnvelopes.ts';
import { locateAlert } from './resource.ts';

const READINGS = '../../test/alerts/readings.txt';
const RECOGNISED = '../../test/alerts/recognised.txt';
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

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The payload with another value at a path of one or two names; undefined removes it. */
function replaceField(payload: Fields, [name = '', inner]: readonly string[], value: unknown): Fields {
  const own = inner === undefined ? value : { ...(payload[name] as Fields), [inner]: value };
  return JSON.parse(JSON.stringify({ ...payload, [name]: own }));
}

it('each source is recognised by the recorded fields', async () => {
  const lines = new Map<string, string>();
  for (const { file, source, kind, data } of PAYLOADS) {
    const group = `${source} ${kind}`;
    if (lines.has(group) || source === 'json' || !file.endsWith('.json')) continue;
    const { payload, attributes } = removeEnvelopes(JSON.parse(data.toString()));
    if (!isFields(payload)) continue;
    const recognise = (one: unknown) =>
      adapters.find((adapter) => adapter.recognise({ payload: one, attributes, receivedAt }) !== undefined)
        ?.source ?? 'json';
    const paths = Object.entries(payload).flatMap(([name, value]) => [
      [name],
      ...(isFields(value) ? Object.keys(value).map((inner) => [name, inner]) : []),
    ]);
    const change = (value: unknown) =>
      paths.flatMap((path) => {
        const found = recognise(replaceField(payload, path, value));
        return found === source ? [] : [found === 'json' ? path.join('.') : `${path.join('.')} (${found})`];
      });
    const [missing, other] = [change(undefined), change(true)];
    lines.set(group, `${group}\n  needs: ${missing.join(', ')}\n  not as a flag: ${other.join(', ')}`);
  }
  await expect(`${[...lines.values()].join('\n')}\n`).toMatchFileSnapshot(RECOGNISED);
});
