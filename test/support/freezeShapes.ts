// `npm run freeze-shapes -- VERSION`: freezes the pinned shapes of a release. Takes another root as second argument.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatReleases, freeze, parseReleases, RELEASES } from './releases.ts';
import { PINS, parsePins } from './shapes.ts';

const [version = '', root = '.'] = process.argv.slice(2);
const file = join(root, RELEASES);
const pins = parsePins(readFileSync(join(root, PINS), 'utf8'));
const releases = freeze(parseReleases(readFileSync(file, 'utf8')), version, pins);
writeFileSync(file, formatReleases(releases));
process.stdout.write(`Release ${version} froze ${Object.keys(releases[version] ?? {}).length} shapes.\n`);
