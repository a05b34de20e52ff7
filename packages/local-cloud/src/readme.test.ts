import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openDatabase } from './database/database.ts';
import { createFirestoreService } from './firestore/firestoreService.ts';
import { loadProtos } from './protocol/protoFiles.ts';
import { createPubsubService } from './pubsub/service.ts';

it('the README has the number of methods of each service', () => {
  const database = openDatabase();
  const pubsub = createPubsubService(database);
  const counts = [createFirestoreService(database), ...pubsub.services].map(({ protos, name, rpcs }) => {
    const all = Object.keys(loadProtos(protos).lookupService(name).methods).length;
    return { service: name.split('.').at(-1), text: `${Object.keys(rpcs).length} of ${all}` };
  });
  pubsub.close();
  database.close();
  const [firestore, ...others] = counts;
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const row = others.map(({ service, text }) => `${text} of ${service}`).join(', ');
  expect(readme).toContain(`| methods | ${firestore?.text} | ${row} |`);
});
