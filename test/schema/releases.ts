// Frozen pins: `shared/schema/releases.yaml` has a digest of each, so that every change is noticed.

import { createHash } from 'node:crypto';
import { parse, stringify } from 'yaml';
import type { Shape, Shapes } from './shapes.ts';

/** Digests of pinned shapes by release, then by type and version: `{ '1.2.0': { 'execution 2': '…' } }`. */
export type Releases = Record<string, Record<string, string>>;

/** Where the digests are, from the root of the repository. */
export const RELEASES = 'shared/schema/releases.yaml';

const HEADING = `# The version of each document type in a release, with a SHA-256 digest of its pin in shapes.yaml. A frozen pin never changes.
# Written by \`npm run freeze-shapes -- VERSION\`, which only adds. The first release is the oldest that this code reads.
`;

/** Releases from the text of their file. */
export const parseReleases = (text: string): Releases => parse(text) ?? {};

/** The text of the file of releases. */
export const formatReleases = (releases: Releases): string => HEADING + stringify(releases, { lineWidth: 0 });

/** Every frozen pin that is missing or different, as sentences; empty if all are equal. */
export function listChangedPins(releases: Releases, pins: Shapes): string[] {
  return Object.entries(releases).flatMap(([release, frozen]) =>
    Object.entries(frozen).flatMap(([key, digest]) => {
      const pin = pins[key];
      if (pin !== undefined && digestOf(pin) === digest) return [];
      const change = pin === undefined ? 'is gone' : 'has changed';
      return [
        `the pin "${key}" ${change}, and release ${release} froze it: restore it, and add a new version`,
      ];
    }),
  );
}

/**
 * The releases with one more, which freezes the latest pin of each type.
 * @throws Error when `version` is not of the form 1.2.3 or released already, or a frozen pin has changed.
 */
export function freeze(releases: Releases, version: string, pins: Shapes): Releases {
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version))
    throw new Error(`"${version}" is no version; give one like 1.2.3`);
  if (Object.hasOwn(releases, version)) throw new Error(`release ${version} is frozen already`);
  const [changed] = listChangedPins(releases, pins);
  if (changed !== undefined) throw new Error(changed);
  const latest = new Map<string, number>();
  for (const key of Object.keys(pins)) {
    const { name, number } = parsePin(key);
    latest.set(name, Math.max(number, latest.get(name) ?? 0));
  }
  const frozen = Object.entries(pins)
    .filter(([key]) => latest.get(parsePin(key).name) === parsePin(key).number)
    .map(([key, pin]) => [key, digestOf(pin)]);
  return { ...releases, [version]: Object.fromEntries(frozen) };
}

function parsePin(key: string): { name: string; number: number } {
  const [name = '', number] = key.split(' ');
  return { name, number: Number(number) };
}

/** The digest of a shape. The order of its fields does not count. */
function digestOf(shape: Shape): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(shape)))
    .digest('hex');
}

function sorted(shape: Shape): Shape {
  if (typeof shape === 'string') return shape;
  if (Array.isArray(shape)) return shape.map(sorted);
  const fields = Object.entries(shape).map(([field, value]): [string, Shape] => [field, sorted(value)]);
  return Object.fromEntries(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
