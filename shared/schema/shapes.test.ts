// A document type's shape and version change together: the shapes that are read are pinned in shapes.yaml.

import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { freeze, listChangedPins, parseReleases, RELEASES } from '../../test/schema/releases.ts';
import {
  addShapes,
  documentTypes,
  formatPins,
  PINS,
  parsePins,
  pinOf,
  readVersions,
  shapeChanged,
  shapeOf,
} from '../../test/schema/shapes.ts';
import { temporaryFolder } from '../../test/support/ownConfig.ts';
import { OLDEST_RELEASE } from '../core/schema/documentType.ts';

const text = readFileSync(PINS, 'utf8');
const pins = parsePins(text);
const releases = parseReleases(readFileSync(RELEASES, 'utf8'));

it('history starts at the first release of the file', () => {
  expect(Object.keys(releases)[0]).toBe(OLDEST_RELEASE);
});

describe.each(documentTypes)('the shape of $name', ({ name, version, oldest, schema }) => {
  const versionsIn = (pinned: object = {}): string[] =>
    Object.keys(pinned).filter((key) => key.startsWith(`${name} `));

  it('is pinned for the versions that are read, and for no other', () => {
    const read = readVersions({ oldest, version }).map((one) => pinOf(name, one));
    expect(versionsIn(pins), '`npm run pin-shapes` pins and removes versions').toEqual(read);
  });

  it('is read from the version of the oldest release, if that release has it', () => {
    const [frozen = pinOf(name, version)] = versionsIn(releases[OLDEST_RELEASE]);
    expect(pinOf(name, oldest)).toBe(frozen);
  });

  it('is the shape that its version was pinned with', () => {
    expect(shapeOf(schema), shapeChanged(name)).toEqual(pins[pinOf(name, version)]);
  });
});

describe('pinning', () => {
  const note = { text: z.string(), at: z.date().nullable() };

  it('writes the file as it is', () => {
    expect(formatPins(pins)).toBe(text);
  });

  it('adds a version and keeps the ones before', () => {
    const before = { 'note 9': shapeOf(z.strictObject(note)) };
    const added = { 'note 10': shapeOf(z.strictObject({ ...note, tags: z.array(z.string()) })) };
    const after = addShapes(before, added);
    expect(after).toEqual({ ...before, ...added });
    expect(Object.keys(parsePins(formatPins(after)))).toEqual(['note 9', 'note 10']);
    expect(parsePins(formatPins(after))).toEqual(after);
  });

  it.each([
    ['a field more', z.strictObject({ ...note, tags: z.array(z.string()) })],
    ['a field less', z.strictObject({ text: z.string() })],
    ['an optional field', z.strictObject({ ...note, text: z.string().optional() })],
    ['another type', z.strictObject({ ...note, at: z.string().nullable() })],
    ['no null any more', z.strictObject({ ...note, at: z.date() })],
    ['another limit', z.strictObject({ ...note, text: z.string().min(1) })],
    ['another kind of text', z.strictObject({ ...note, text: z.enum(['a', 'b']) })],
    ['fields without a name', z.looseObject(note)],
  ])('refuses %s in a pinned version', (_, changed) => {
    const before = { 'note 1': shapeOf(z.strictObject(note)) };
    expect(() => addShapes(before, { 'note 1': shapeOf(changed) })).toThrow(
      'the shape of note changed: raise its version beside its schema',
    );
  });
});

describe('a release', () => {
  const pinned = { 'note 1': { text: 'string', at: 'date' } };

  it('finds every shape as it froze it', () => {
    expect(listChangedPins(releases, pins)).toEqual([]);
  });

  it('freezes the latest version of each type; new ones can be added, and fields can have another order', () => {
    const first = freeze({}, '1.0.0', pinned);
    const more = { 'note 1': { at: 'date', text: 'string' }, 'note 10': 'string', 'other 1': 'string' };
    expect(listChangedPins(first, more)).toEqual([]);
    expect(Object.keys(freeze(first, '1.1.0', more)['1.1.0'] ?? {})).toEqual(['note 10', 'other 1']);
  });

  it.each([
    ['has changed', { 'note 1': { text: 'string', at: 'date', tags: 'string' } }],
    ['is gone', {}],
  ])('notices a frozen pin that %s, and freezes nothing then', (change, changed) => {
    const first = freeze({}, '1.0.0', pinned);
    const sentence = `the pin "note 1" ${change}, and release 1.0.0 froze it: restore it, and add a new version`;
    expect(listChangedPins(first, changed)).toEqual([sentence]);
    expect(() => freeze(first, '1.1.0', changed)).toThrow(sentence);
  });

  it.each([
    ['', '"" is no version; give one like 1.2.3'],
    ['1.0', '"1.0" is no version; give one like 1.2.3'],
    ['1.0.0', 'release 1.0.0 is frozen already'],
  ])('is refused as %j', (version, message) => {
    expect(() => freeze(freeze({}, '1.0.0', pinned), version, pinned)).toThrow(message);
  });

  it('is written by the command, after which a change to a pin of the repository is found', () => {
    const root = temporaryFolder();
    for (const file of [PINS, RELEASES]) cpSync(file, join(root, file), { recursive: true });
    execFileSync(process.execPath, ['test/schema/freezeShapes.ts', '99.0.0', root]);
    const frozen = parseReleases(readFileSync(join(root, RELEASES), 'utf8'));
    expect(listChangedPins(frozen, pins)).toEqual([]);
    const edited = text.replace(
      /^alertBody 1:\n {2}sessionId: string, minLength 1/m,
      'alertBody 1:\n  sessionId: string',
    );
    writeFileSync(join(root, PINS), edited);
    expect(listChangedPins(frozen, parsePins(readFileSync(join(root, PINS), 'utf8')))).toEqual([
      expect.stringContaining('the pin "alertBody 1" has changed, and release 0.2.0'),
      expect.stringContaining('the pin "alertBody 1" has changed, and release 99.0.0'),
    ]);
  });
});
