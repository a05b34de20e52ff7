// The layers of local/: allowed imports by folder. shared/layers.test.ts has the whole table.

import { globSync, readFileSync } from 'node:fs';
import { posix as path } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf } from '../test/support/sourceImports.ts';

const protocol = ['cloud/database', 'cloud/protocol'];

/** The imports of each folder of local/ within local/. Every import points down this table. */
const MAY_IMPORT: Record<string, string[]> = {
  '.': ['emulators', 'functions', 'processes', 'scriptedModel', 'scriptedGemini'],
  emulators: ['cloud', 'processes'],
  functions: ['processes'],
  scriptedModel: ['scriptedGemini'],
  scriptedGemini: [],
  mcp: ['processes'],
  monitoring: ['processes'],
  destinations: ['processes'],

  cloud: ['cloud/server', 'cloud/firestore', 'cloud/pubsub', ...protocol],
  'cloud/server': ['cloud/rest', 'cloud/protocol'],
  'cloud/rest': ['cloud/protocol'],

  'cloud/firestore': [
    'cloud/firestore/listen',
    'cloud/firestore/rpcs',
    'cloud/firestore/indexes',
    'cloud/firestore/engine',
    'cloud/firestore/values',
    ...protocol,
  ],
  'cloud/firestore/listen': [
    'cloud/firestore/rpcs',
    'cloud/firestore/indexes',
    'cloud/firestore/query',
    'cloud/firestore/engine',
    'cloud/firestore/values',
    'cloud/protocol',
  ],
  'cloud/firestore/rpcs': [
    'cloud/firestore/indexes',
    'cloud/firestore/query',
    'cloud/firestore/engine',
    'cloud/firestore/values',
    'cloud/protocol',
  ],
  'cloud/firestore/indexes': [
    'cloud/firestore/query',
    'cloud/firestore/engine',
    'cloud/firestore/values',
    'cloud/protocol',
  ],
  'cloud/firestore/query': ['cloud/firestore/engine', 'cloud/firestore/values', 'cloud/protocol'],
  'cloud/firestore/engine': ['cloud/firestore/values', ...protocol],
  'cloud/firestore/values': ['cloud/protocol'],

  'cloud/pubsub': [
    'cloud/pubsub/rpcs',
    'cloud/pubsub/schemas',
    'cloud/pubsub/delivery',
    'cloud/pubsub/store',
    ...protocol,
  ],
  'cloud/pubsub/rpcs': [
    'cloud/pubsub/schemas',
    'cloud/pubsub/delivery',
    'cloud/pubsub/store',
    'cloud/pubsub/fields',
    'cloud/protocol',
  ],
  'cloud/pubsub/schemas': ['cloud/pubsub/store', 'cloud/pubsub/fields', 'cloud/protocol'],
  'cloud/pubsub/delivery': ['cloud/pubsub/store', 'cloud/pubsub/fields', 'cloud/protocol'],
  'cloud/pubsub/store': ['cloud/pubsub/fields', ...protocol],
  'cloud/pubsub/fields': ['cloud/protocol'],

  'cloud/database': ['cloud/protocol'],
  'cloud/protocol': [],
  processes: [],
};

const files = globSync('local/**/*.ts')
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !/\.(test|fixture)\.ts$/.test(file));
const folderOf = (file: string): string => path.relative('local', path.dirname(file)) || '.';
const importsWithin = files.flatMap((file) =>
  importsOf(file, readFileSync(file, 'utf8'))
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => ({ file, target: path.join(path.dirname(file), specifier) }))
    .filter(({ target }) => target.startsWith('local/')),
);

describe('the folders of local/', () => {
  it('all have a row, above the rows that they import', () => {
    const folders = Object.keys(MAY_IMPORT);
    expect([...new Set(files.map(folderOf))].toSorted()).toEqual(folders.toSorted());
    const isBelow = (folder: string, index: number) => folders.indexOf(folder) > index;
    expect(folders.filter((folder, index) => !MAY_IMPORT[folder]?.every((to) => isBelow(to, index)))).toEqual(
      [],
    );
  });

  it('import only the folders of their rows', () => {
    const refused = importsWithin.filter(
      ({ file, target }) =>
        folderOf(file) !== folderOf(target) && !MAY_IMPORT[folderOf(file)]?.includes(folderOf(target)),
    );
    expect(refused.map(({ file, target }) => `${file} -> ${target}`)).toEqual([]);
  });
});
