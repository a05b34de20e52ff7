import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/ownConfig.ts';
import { TerminalError } from '../../core/errors.ts';
import {
  at,
  findLabelMechanism,
  k8s,
  newestTime,
  readEach,
  readJson,
  readYaml,
  tableTool,
  toPlainText,
} from './importedCase.ts';

describe('the mechanism of a label', () => {
  it.each([
    ['ResourceQuota exceeded', 'quota'],
    ['expired_certificate', 'certificate'],
    ['cert expired', 'certificate'],
    ['x509', 'certificate'],
    ['name_resolution', 'dns'],
    ['OOMKilled', 'memory'],
    ['FullGC', 'memory'],
    ['busy_loop', 'cpu'],
    ['pvc', 'disk'],
    ['PVMount', 'disk'],
    ['file reads', 'disk'],
    ['ServiceAccount', 'permission'],
    ['Forbidden', 'permission'],
    ['connection_pool', 'connections'],
    ['NodeSelector', 'scheduling'],
    ['image pull', 'release'],
    ['NullPointer', 'release'],
    ['deadlock', 'lock'],
    ['lock wait', 'lock'],
    ['blocked', undefined],
    ['PodCrashLoop', 'dependency_down'],
    ['zero replicas', 'dependency_down'],
    ['latency', 'dependency_slow'],
    ['packet loss', 'network'],
    ['traffic surge', 'load'],
    ['wrong port', 'config'],
    ['read-only', 'data'],
    ['hardware', 'hardware'],
    ['nothing known', undefined],
    ['', undefined],
    // The first that matches counts.
    ['memory of the config', 'memory'],
  ])('%j is %s', (label, mechanism) => {
    expect(findLabelMechanism(label)).toBe(mechanism);
  });
});

describe('a table', () => {
  const AT = new Date('2026-11-20T10:00:00Z');
  const rowsOf = (rows: readonly string[]) => tableTool('db.rows', 'Rows.', rows.join('\n'), AT);

  it('of at most 2,000 rows is whole', () => {
    const rows = ['time,value', ...Array.from({ length: 2_000 }, (_, n) => `${n},x`)];
    expect(rowsOf([...rows, '', ''])).toEqual({
      name: 'db.rows',
      description: 'Rows. Columns: time,value',
      rows: rows.join('\n'),
      parameters: ['contains', 'limit'],
    });
  });

  it('of more has the rows nearest to the alert, in their order, and says so', () => {
    const minutes = Array.from({ length: 2_101 }, (_, n) => new Date(AT.getTime() + (n - 2_100) * 60_000));
    const { rows = '', description } = rowsOf(['time', ...minutes.map((time) => time.toISOString())]);
    expect(description).toBe('Rows. The 2000 of 2101 rows nearest to the alert. Columns: time');
    expect(rows.split('\n')).toEqual(['time', ...minutes.slice(-2_000).map((time) => time.toISOString())]);
  });

  it.each([
    ['ISO 8601', '2026-11-20T09:59:00Z', '2026-11-20T07:00:00Z'],
    ['ISO 8601 with a zone', '2026-11-20T10:59:00+01:00', '2026-11-20T10:59:00-09:00'],
    ['UTC without a zone', '2026-11-20 09:59:00.123', '2026-11-20 07:00:00'],
    ['seconds', '1795168740', '1795158000'],
    ['milliseconds', '1795168740123', '1795158000000'],
    ['microseconds', '1795168740123456', '1795158000000000'],
    ['nanoseconds', '1795168740123456789', '1795158000000000000'],
    ['no time', '2026-11-20T09:59:00Z', 'none'],
    ['part of a number', '2026-11-20T09:59:00Z', '-1795168740'],
    ['part of a name', '2026-11-20T09:59:00Z', '1795168740-x'],
  ])('reads times as %s', (_, near, far) => {
    const { rows = '' } = rowsOf([
      't',
      ...Array<string>(1_000).fill(far),
      ...Array<string>(2_000).fill(near),
    ]);
    expect(new Set(rows.split('\n').slice(1))).toEqual(new Set([near]));
  });

  it('without times has its first rows', () => {
    const rows = Array.from({ length: 2_001 }, (_, n) => `row ${n}`);
    expect(
      rowsOf(['name', ...rows])
        .rows?.split('\n')
        .at(-1),
    ).toBe('row 1999');
  });

  it('has a description of at most 1,000 characters', () => {
    expect(tableTool('db.rows', 'x'.repeat(2_000), 'a\nb', AT).description).toHaveLength(1_000);
  });
});

it.each([
  [['at 2026-11-20T09:00:00Z', 'x 2026-11-20T10:00:00 and 2025-11-20T11:00:00'], '2026-11-20T10:01:00.000Z'],
  [['no time', '2026-11-20 10:00:00'], '2026-01-01T00:01:00.000Z'],
  [[], '2026-01-01T00:01:00.000Z'],
])('a minute after the newest time of %j', (texts, expected) => {
  expect(newestTime(texts).toISOString()).toBe(expected);
});

describe('a file of a benchmark', () => {
  it('is read, or named with what is wrong', () => {
    const folder = temporaryFolder();
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    write('good.json', '{"a":[{"b":1}]}');
    write('good.yaml', 'a: 1');
    write('bad.json', '{"a":\n');
    write('bad.yaml', 'a: [');
    write('null.json', 'null');
    write('text.yaml', 'text');
    expect(at(readJson(folder, 'good.json'), 'a', 0, 'b')).toBe(1);
    expect(readYaml(folder, 'good.yaml')).toEqual({ a: 1 });
    for (const name of ['bad.json', 'missing.json', 'null.json']) {
      expect(() => readJson(folder, name), name).toThrow(TerminalError);
      expect(() => readJson(folder, name), name).toThrow(join(folder, name));
    }
    for (const name of ['bad.yaml', 'text.yaml']) expect(() => readYaml(folder, name), name).toThrow(name);
    expect(() => readJson(folder, 'missing.json')).toThrow(/missing\.json is missing$/);
    expect(() => readJson(folder, 'null.json')).toThrow(/null\.json is no object$/);
  });

  it('that cannot be read is a skipped case; a bug is none', async () => {
    const read = (file: string) => {
      if (file === 'b') throw new TerminalError('CASE_INVALID', 'b is missing');
      return file === 'c'
        ? [
            { name: 'c1', reason: 'x' },
            { name: 'c2', reason: 'x' },
          ]
        : { name: file, reason: 'x' };
    };
    const found = await readEach(['c', 'b', 'a'], read);
    expect(found.map(({ name }) => name)).toEqual(['a', 'b', 'c1', 'c2']);
    expect(found[1]).toEqual({ name: 'b', reason: 'b is missing' });
    const bug = () => Promise.reject(new TypeError('a bug'));
    await expect(readEach(['a'], bug)).rejects.toThrow('a bug');
  });
});

it('values of a benchmark', () => {
  expect([toPlainText('a'), toPlainText(1), toPlainText(undefined)]).toEqual(['a', '', '']);
  expect([at({ a: null }, 'a', 'b'), at(undefined, 'a'), at({}, 'a')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect([k8s('shop', 'Pod', 'a'), k8s('', 'Node', 'b')]).toEqual([
    'k8s:bench/shop/Pod/a',
    'k8s:bench/-/Node/b',
  ]);
});
