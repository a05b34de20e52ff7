import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromWireName, toWireName, wireNames } from './wireNames.ts';

const part = fc.string({ unit: fc.constantFrom('a', 'B', '7', '_', '-', '.', ' ', 'é'), maxLength: 70 });
const names = fc.uniqueArray(
  fc.oneof(
    fc.tuple(part, part).map(([server, tool]) => `${server}.${tool}`),
    fc.string({ unit: 'binary' }),
  ),
  { maxLength: 30 },
);

describe('toWireName', () => {
  it('joins server and tool by a double underscore', () => {
    expect(toWireName('kubernetes.get_logs')).toBe('kubernetes__get_logs');
    expect(toWireName('google_search')).toBe('google_search');
    expect(toWireName('a.b.c')).toMatch(/^a__b_c__[0-9a-f]{12}$/);
    expect(toWireName(`s.${'x'.repeat(61)}`)).toBe(`s__${'x'.repeat(61)}`);
    expect(toWireName(`s.${'x'.repeat(62)}`)).toMatch(/^s__x{47}__[0-9a-f]{12}$/);
  });

  it.each([
    ['a tool with a double underscore', 'files.read__all', /^files__read__all__[0-9a-f]{12}$/],
    ['a tool that begins with an underscore', 'files._read', /^files___read__[0-9a-f]{12}$/],
    ['a tool with other characters', 'files.read/all', /^files__read_all__[0-9a-f]{12}$/],
    ['a server that begins with a digit', '7zip.list', /^_zip__list__[0-9a-f]{12}$/],
    ['a name without a server but with a double underscore', 'read__all', /^read__all_____[0-9a-f]{12}$/],
    ['a server without a name', '.list', /^___list__[0-9a-f]{12}$/],
    ['a tool without a name', 'files.', /^files_____[0-9a-f]{12}$/],
    ['a long tool', `files.${'x'.repeat(80)}`, /^files__x{43}__[0-9a-f]{12}$/],
    ['a long server', `${'s'.repeat(63)}.list`, /^s{20}__list__[0-9a-f]{12}$/],
  ])('gives %s a hash', (_name, name, expected) => {
    expect(toWireName(name)).toMatch(expected);
  });

  it('always gives a valid name', () => {
    fc.assert(
      fc.property(names, (list) => {
        for (const name of list) expect(toWireName(name)).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
      }),
    );
  });
});

describe('wireNames', () => {
  it('gives every tool a name of its own, and back again', () => {
    fc.assert(
      fc.property(names, (list) => {
        const { toWire, fromWire } = wireNames(list);
        expect(new Set(toWire.values()).size).toBe(list.length);
        for (const name of list) expect(fromWire.get(toWire.get(name) ?? '')).toBe(name);
      }),
    );
  });

  it('names a tool the same whatever else is in the list', () => {
    fc.assert(
      fc.property(names, names, (list, others) => {
        for (const name of list) {
          expect(wireNames([...others, ...list]).toWire.get(name)).toBe(wireNames([name]).toWire.get(name));
        }
      }),
    );
  });

  it('keeps a tool apart from one named like its hashed form', () => {
    const hashed = toWireName('files.read/all');
    expect(toWireName(hashed.replace('__', '.'))).not.toBe(hashed);
  });
});

describe('fromWireName', () => {
  it('reads an unknown name by its first double underscore', () => {
    expect(fromWireName('files__read__all', new Map())).toBe('files.read__all');
    expect(fromWireName('google_search', new Map())).toBe('google_search');
  });
});
