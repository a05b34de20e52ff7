// `npm run update-indexes`: writes firestore.indexes.json from the rows of the collections.

import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { formatIndexes, INDEX_FILE } from './indexFile.ts';

new Command('update-indexes')
  .description('Writes firestore.indexes.json from the collections in shared/schema.')
  .parse();
writeFileSync(INDEX_FILE, formatIndexes());
