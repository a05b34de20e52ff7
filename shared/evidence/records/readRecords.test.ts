import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isPair, parseDocument, visit } from 'yaml';
import { packNames, readPack } from '../../../cli/packs/pack.ts';
import { IS_LONG } from '../../../test/support/fullTests.ts';
import { FIELD_LISTS } from '../../contract/mcpServer.ts';
import { asText } from '../../text/json.ts';
import { type FieldList, fieldList } from './fieldList.ts';
import { plainQuery } from './plainQuery.ts';
import { readRecords } from './readRecords.ts';
import type { StateRecord } from './record.ts';

interface Recording {
  tool: string;
  arguments: Record<string, unknown>;
  text: string;
}
/** The tool of a benchmark whose recordings carry no licence: test/ has none of it. */
const OF_BENCH = 'GetResources';
const SHOWN = fileURLToPath(new URL('../../../test/worlds/kubernetes/records.txt', import.meta.url));
const listOf = (name: string): FieldList => fieldList(name) ?? { calls: {}, kinds: {}, samples: new Map() };
const recordings = (name: string): Recording[] =>
  JSON.parse(readFileSync(new URL(`../../../test/worlds/${name}/recorded.json`, import.meta.url), 'utf8'));
const ALL = FIELD_LISTS.flatMap((name) => recordings(name).map((one) => ({ name, ...one })));

const read = (name: string, { tool, arguments: given, text }: Recording, isCut = false) =>
  readRecords({ id: 'r1', tool, arguments: JSON.stringify(given), text, isCut }, listOf(name));

it.each(FIELD_LISTS)(
  'each tool of the list %s has a recording with state fields, and a pack names the list',
  (name) => {
    const tools = recordings(name).flatMap((one) => {
      const { records } = read(name, one);
      return records.some(({ fields }) => fields.size > 0) ? [one.tool.replace(/^\w+\./, '')] : [];
    });
    expect(
      Object.keys(listOf(name).calls)
        .filter((tool) => tool !== OF_BENCH)
        .toSorted(),
    ).toEqual([...new Set(tools)].toSorted());
    const named = packNames().flatMap((pack) =>
      readPack(pack).servers.map(({ server }) => asText(server.fields)),
    );
    expect(named).toContain(name);
  },
);

it('each field is at its place in the text', () => {
  for (const one of ALL)
    for (const { fields } of read(one.name, one).records)
      for (const [path, { value, start, end }] of fields) {
        const text = one.text.slice(start, end);
        const isSame = text === String(value) || Number(text) === value;
        // A node's STATUS is its condition in other words.
        expect(isSame || ['Ready', 'NotReady'].includes(text), `${one.tool} ${path}: ${text}`).toBe(true);
      }
});

it('reads the objects, the containers and the samples', async () => {
  const shown = ALL.map((one) => {
    const { records, isWhole } = read(one.name, one);
    const lines = records.map(({ kind, identity, container, fields, series }) => {
      const owners = identity.owners.map((owner) => `${owner.kind} ${owner.name}`);
      const name = [kind, identity.namespace ?? '-', identity.name, container, identity.node, ...owners];
      const values = [...fields].filter(([path]) => !/^samples\[/.test(path));
      const count =
        series === undefined ? [] : [`${series.functions?.join(' ')} ${series.samples.length} samples`];
      return [
        name.filter(Boolean).join(' '),
        ...values.map(([path, { value }]) => `  ${path} ${value}`),
        ...count,
      ];
    });
    const call = `${one.tool} ${JSON.stringify(one.arguments)} ${isWhole ? 'whole' : 'not whole'}`;
    return [call, ...lines.flat()].join('\n');
  });
  await expect(`${shown.join('\n\n')}\n`).toMatchFileSnapshot(SHOWN);
});

const PLANTED = [
  'Failed',
  'x\nstatus:\n  phase: Failed\n  reason: OOMKilled\n',
  '\tReady\t0/1\tOOMKilled\t99\t1d\t',
  '- name: x\n  lastState:\n    terminated:\n      reason: OOMKilled',
  'NAME   READY   STATUS   RESTARTS   AGE\nshop   0/1   OOMKilled   99   1d',
  '    Last State:     Terminated\n      Reason:       OOMKilled\n',
  '"},"status":{"phase":"Failed","reason":"OOMKilled"},"x":{"y":"',
  '2026-01-01T00:00:00Z',
  'True',
  '&a *a !!str {a: b} # c',
  'a:\r\n\u2028 b\u0085\f: c',
  'x'.repeat(10_000),
];

/** Whether a record says nothing that one of the others does not. */
function isKnown(record: StateRecord, known: readonly StateRecord[]): boolean {
  return known.some((one) => {
    const [its, own] = [one.identity, record.identity];
    const names = [its.name, ...its.owners.map(({ name }) => name)];
    return (
      one.kind === record.kind &&
      names.includes(own.name) &&
      [undefined, its.namespace].includes(own.namespace) &&
      [undefined, its.node].includes(own.node) &&
      [undefined, one.container].includes(record.container) &&
      own.owners.every(({ name }) => names.includes(name)) &&
      [...record.fields].every(([path, { value }]) => one.fields.get(path)?.value === value)
    );
  });
}

const LABELS = new Set([...listOf('prometheus').samples.values()].flatMap((labels) => Object.values(labels)));
const DOCUMENTS = ALL.filter(({ text }) => /^(?:apiVersion:|\{)/.test(text));

describe('no text of others is a state', () => {
  it.each(PLANTED.map((text, turn) => [text.slice(0, 40), text, turn] as const))(
    'planted in objects: %j',
    (_, planted, turn) => {
      for (const one of DOCUMENTS) {
        const known = read(one.name, one).records;
        const places = known.flatMap(({ fields }) => [...fields.values()].map(({ start }) => start));
        /** The text with a plant in the values with these numbers; all that are not read have one. */
        const plant = (isChosen: (number: number) => boolean): { text: string; free: number } => {
          const document = parseDocument(one.text);
          let free = 0;
          visit(document, {
            Scalar(key, scalar, path) {
              const [from = 0, to = 0] = scalar.range ?? [];
              const parent = path.at(-1);
              const name = isPair(parent) ? String((parent.key as { value?: unknown }).value) : undefined;
              // Labels that name an object, and the times of samples, are Prometheus's own.
              const isOwn = one.name === 'prometheus' && (name === undefined || LABELS.has(name));
              if (key === 'key' || isOwn || places.some((place) => place >= from && place <= to)) return;
              if (isChosen(free++))
                Object.assign(scalar, { value: planted, source: undefined, type: undefined });
            },
          });
          const isJson = one.text.startsWith('{');
          const text = isJson ? JSON.stringify(document.toJS()) : document.toString({ indentSeq: false });
          return { text, free };
        };
        const { free } = plant(() => true);
        // One value at a time gets a text, and all values get each. `npm run test:long` tries all pairs.
        for (let number = -1; number < free; number++) {
          if (!IS_LONG && number >= 0 && number % PLANTED.length !== turn) continue;
          const { text } = plant((at) => number === -1 || at === number);
          for (const record of read(one.name, { ...one, text }).records)
            expect(isKnown(record, known), `${one.tool} ${text}`).toBe(true);
        }
      }
    },
  );

  it.each(PLANTED.map((text) => [text.slice(0, 40), text] as const))(
    'planted in tables: %j',
    (_, planted) => {
      const tables = ALL.filter(({ text }) => /^[A-Z]+ {2,}/.test(text));
      expect(tables.length).toBeGreaterThan(15);
      for (const one of tables) {
        const [head = '', ...lines] = one.text.trimEnd().split('\n');
        const columns = [...head.matchAll(/\S+(?: \S+)*/g)].map(({ 0: name, index }) => ({ name, index }));
        const cells = lines.map((line) =>
          columns.map(({ index }, at) => line.slice(index, columns[at + 1]?.index).trim()),
        );
        const kind = String(one.arguments.kind ?? /(?:Pod|Namespace|Node)/i.exec(one.tool)?.[0]);
        const listed = Object.entries(listOf(one.name).kinds).find(([key]) =>
          key.toLowerCase().endsWith(`/${kind.toLowerCase()}`),
        )?.[1];
        const known = read(one.name, one).records;
        const free = columns.filter(({ name }) => !Object.hasOwn(listed?.columns ?? {}, name));
        for (const planting of [...free.map((column) => [column]), free])
          for (const row of cells.keys()) {
            const rows = cells.map((own, at) =>
              own.map((cell, column) =>
                at === row && planting.includes(columns[column] ?? { name: '', index: 0 }) ? planted : cell,
              ),
            );
            const text = printTable([columns.map(({ name }) => name), ...rows]);
            for (const record of read(one.name, { ...one, text }).records)
              expect(
                isKnown(record, known),
                `${one.tool} ${planting.map(({ name }) => name)} ${JSON.stringify([...record.fields])} ${text}`,
              ).toBe(true);
          }
      }
    },
  );

  /** As kubectl prints it: a cell ends with its line, and a tab ends a cell. */
  function printTable(rows: string[][]): string {
    const split = rows.map((row) => row.flatMap((cell) => cell.replace(/[\n\r\f].*$/s, '...').split('\t')));
    const widths = split[0]?.map((_, at) => Math.max(...split.map((row) => row[at]?.length ?? 0))) ?? [];
    return `${split.map((row) => row.map((cell, at) => cell.padEnd((widths[at] ?? cell.length) + 3)).join('')).join('\n')}\n`;
  }
});

it('of an answer that was cut, only whole records are read', () => {
  for (const one of ALL) {
    const known = read(one.name, one).records.map((record) => JSON.stringify([record, [...record.fields]]));
    for (let at = 0; at < one.text.length; at += 7) {
      const tail = one.text.slice(-Math.floor((one.text.length - at) / 2));
      for (const text of [one.text.slice(0, at), `${one.text.slice(0, at)}\n\n${tail}`]) {
        const { records, isWhole } = read(one.name, { ...one, text }, true);
        expect(isWhole).toBe(false);
        for (const record of records) expect(known).toContain(JSON.stringify([record, [...record.fields]]));
      }
    }
  }
});

const POD = `apiVersion: v1
kind: Pod
metadata:
  name: a
status:
  phase: Failed
`;

it.each([
  ['an alias', POD.replace('name: a', 'name: &a a\n  x: *a')],
  ['a tag', POD.replace('name: a', 'name: !!str a')],
  ['a key that stands twice', `${POD}  phase: Running\n`],
  [
    'a key that stands twice in JSON',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"status":{"phase":"a","phase":"b"}}',
  ],
  ['a second document', `${POD}---\n${POD}`],
  ['a flow collection', POD.replace('  phase: Failed', '  {phase: Failed}')],
  ['a kind that is not listed', POD.replace('Pod', 'Secret')],
  ['another version', POD.replace('v1', 'v2')],
  ['a custom condition', POD.replace('  phase: Failed', '  conditions:\n  - type: Mine\n    status: "True"')],
  [
    'two conditions of one type',
    POD.replace('  phase: Failed', `  conditions:\n${'  - type: Ready\n    status: "True"\n'.repeat(2)}`),
  ],
  [
    'an exit code without a reason',
    POD.replace(
      '  phase: Failed',
      '  containerStatuses:\n  - name: a\n    state:\n      terminated:\n        exitCode: 137',
    ),
  ],
  ['a name that is none', POD.replace('name: a', "name: 'a b'")],
  ['deep nesting', '['.repeat(100_000)],
  ['deep YAML', Array.from({ length: 2_000 }, (_, at) => `${' '.repeat(at)}a:\n`).join('')],
])('has no state of %s', (_, text) => {
  const call = { tool: 'kubernetes.pods_get', arguments: {}, text };
  expect(read('kubernetes', call).records.flatMap(({ fields }) => [...fields.keys()])).toEqual([]);
});

it('has no records of a tool that the list does not have', () => {
  expect(read('kubernetes', { tool: 'kubernetes.events_list', arguments: {}, text: POD })).toEqual({
    records: [],
    isWhole: false,
  });
});

it.each([
  ['up', 'up '],
  ['sum by (pod) (rate(http_requests_total{a="}"}[5m]))', 'http_requests_total sum rate'],
  ['sum(rate(a_total[5m])) by (pod)', 'a_total sum rate'],
  ['max(up{job="a"} offset 1d) > 0.5', 'up max'],
  ['avg(up) >= bool 1', 'up avg'],
  ['a / b', undefined],
  ['sum(a) / sum(b)', undefined],
  ['vector(1)', undefined],
  ['label_replace(up, "pod", "x", "", "")', undefined],
  ['up or vector(0)', undefined],
  ['up * 0', undefined],
  ['max(up) and min(up)', undefined],
  ['(up)', undefined],
  ['{__name__="up"}', undefined],
  ['up[5m:1m]', undefined],
])('the query %j is plain: %s', (query, expected) => {
  const plain = plainQuery(query);
  expect(plain && `${plain.metric} ${plain.functions.join(' ')}`).toBe(expected);
});
