// `npm run pin-shapes`: pins the shapes of new document versions, and removes versions that are not read any
// more. Never changes a pin, and is not for CI.

import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { listChangedPins, parseReleases, RELEASES } from './releases.ts';
import { addShapes, currentShapes, formatPins, listReadPins, PINS, parsePins } from './shapes.ts';

new Command('pin-shapes')
  .description('Pins the shapes of new versions of documents in shared/schema/shapes.yaml.')
  .parse();
if (process.env.CI) throw new Error('pin-shapes is not for CI: run it, look at the pins, and commit them');
const pins = parsePins(readFileSync(PINS, 'utf8'));
const shapes = currentShapes();
const [changed] = listChangedPins(parseReleases(readFileSync(RELEASES, 'utf8')), pins);
if (changed !== undefined) throw new Error(changed);
writeFileSync(PINS, formatPins(listReadPins(addShapes(pins, shapes))));
const added = Object.keys(shapes).filter((key) => pins[key] === undefined);
process.stdout.write(added.length === 0 ? 'Nothing to pin.\n' : `Pinned ${added.join(', ')}.\n`);
