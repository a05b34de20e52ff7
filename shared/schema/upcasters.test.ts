// Each upcaster reads documents that code of the oldest release stored.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { OLDEST_RELEASE } from '../core/schema/documentType.ts';
import { COLLECTIONS } from '../lists/documents.ts';
import { PARTS } from '../lists/parts.ts';

type Data = Record<string, unknown>;

/**
 * A document of the oldest release: `added` has the fields of the read document that differ from `stored`.
 */
interface Case {
  type: string;
  path: string;
  stored: Data;
  added: Data;
  removed: string[];
}

/** Dates stand in the file as `{"$date": "…"}`. */
function revive(_key: string, value: unknown): unknown {
  const date = value !== null && typeof value === 'object' && '$date' in value ? value.$date : undefined;
  return typeof date === 'string' ? new Date(date) : value;
}

const cases: Case[] = readFileSync(`test/schema/stored/documents-${OLDEST_RELEASE}.jsonl`, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line, revive));
const types = Object.values(COLLECTIONS);

describe.each(types.filter(({ oldest, version }) => oldest < version))('$name', (type) => {
  const own = cases.filter((one) => one.type === type.name);

  it('has a stored document', () => {
    expect(own.length).toBeGreaterThan(0);
  });

  it.each(own)('reads $path', ({ path, stored, added, removed }) => {
    const { schemaVersion, ...fields } = stored;
    expect(schemaVersion).toBe(type.oldest);
    for (const field of removed) delete fields[field];
    const read = type.decode(stored, path, PARTS);
    expect(read).toEqual({ ...fields, ...added });
    expect(type.decode(type.encode(read as never, path, PARTS), path, PARTS)).toEqual(read);
  });
});
