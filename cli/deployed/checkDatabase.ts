// Checks of the database: indexes, times to live, and the versions of its documents.

import { readFileSync } from 'node:fs';
import { projectFile } from '../../shared/projectFiles.ts';
import { composeTargetEnvironment } from '../deploy/target.ts';
import { FIRESTORE } from '../google/addresses.ts';
import { findNewer } from '../migration/findNewer.ts';
import { type DeployedSystem, redeploy } from './deployedSystem.ts';
import { type Finding, missing, ok } from './finding.ts';

const SHOWN = 5;

interface IndexField {
  fieldPath: string;
  order?: string;
  arrayConfig?: string;
  vectorConfig?: object;
}

interface Declared {
  indexes: { collectionGroup: string; queryScope: string; fields: IndexField[] }[];
  fieldOverrides: { collectionGroup: string; fieldPath: string; ttl?: boolean }[];
}

interface Deployed {
  name: string;
  queryScope: string;
  fields: IndexField[];
  state: string;
}

const declared = (): Declared => JSON.parse(readFileSync(projectFile('firestore.indexes.json'), 'utf8'));

function indexKey(collection: string, scope: string, fields: readonly IndexField[]): string {
  const parts = fields
    // Firestore adds it to every index.
    .filter(({ fieldPath }) => fieldPath !== '__name__')
    .map(
      ({ fieldPath, order, arrayConfig, vectorConfig }) =>
        `${fieldPath} ${order ?? arrayConfig ?? (vectorConfig && 'VECTOR')}`,
    );
  return `${collection} (${scope.toLowerCase()}): ${parts.join(', ')}`;
}

/** Whether all composite indexes exist and are built. */
export async function checkIndexes(system: DeployedSystem): Promise<Finding[]> {
  const { google, target } = system;
  const found = await google.list<Deployed>(
    `${FIRESTORE}/projects/${target.project}/databases/${target.database}/collectionGroups/-/indexes`,
    'indexes',
  );
  const states = new Map(
    found.map(({ name, queryScope, fields, state }) => [
      indexKey(name.split('/collectionGroups/')[1]?.split('/')[0] ?? '', queryScope, fields),
      state,
    ]),
  );
  const wanted = declared().indexes.map((index) =>
    indexKey(index.collectionGroup, index.queryScope, index.fields),
  );
  const lacking = wanted.filter((key) => !states.has(key));
  const building = wanted.filter((key) => states.get(key) === 'CREATING');
  const broken = wanted.filter((key) => states.get(key) === 'NEEDS_REPAIR');
  const part = 'indexes';
  const findings = [
    ...(lacking.length > 0
      ? [missing(part, `${lacking.length} do not exist: ${firstNames(lacking)}. ${redeploy(system)}`)]
      : []),
    ...(building.length > 0
      ? [
          missing(
            part,
            `${building.length} are not ready: ${firstNames(building)}. Queries that need them fail until they are built; wait`,
          ),
        ]
      : []),
    ...(broken.length > 0
      ? [
          missing(
            part,
            `${broken.length} could not be built: ${firstNames(broken)}. Delete them in the console, then deploy again`,
          ),
        ]
      : []),
  ];
  return findings.length > 0 ? findings : [ok(part, `all ${wanted.length} are ready`)];
}

/** Whether documents expire: without it they are kept for ever. */
export async function checkExpiry(system: DeployedSystem): Promise<Finding[]> {
  const { google, target } = system;
  const found = await google.list<{ name: string; ttlConfig?: { state: string } }>(
    `${FIRESTORE}/projects/${target.project}/databases/${target.database}/collectionGroups/-/fields?filter=ttlConfig:*`,
    'fields',
  );
  const active = found
    .filter(({ ttlConfig }) => ttlConfig?.state === 'ACTIVE')
    .map(({ name }) => name.split('/collectionGroups/')[1]?.replace('/fields/', '.'));
  const wanted = declared()
    .fieldOverrides.filter(({ ttl }) => ttl)
    .map(({ collectionGroup, fieldPath }) => `${collectionGroup}.${fieldPath}`);
  const lacking = wanted.filter((field) => !active.includes(field));
  const part = 'time to live';
  if (lacking.length === 0) return [ok(part, `active for ${wanted.length} collections`)];
  return [
    missing(
      part,
      `not active: ${firstNames(lacking)}. These documents are never deleted. ${redeploy(system)}, or wait if it is new`,
    ),
  ];
}

/** Whether the deployed code can read all documents. @param documents readable version by collection. */
export async function checkDocuments(
  { target }: DeployedSystem,
  documents: Readonly<Record<string, number>>,
): Promise<Finding[]> {
  const part = 'documents';
  const newer = await findNewer(composeTargetEnvironment(target), documents);
  if (newer.length === 0) return [ok(part, 'the deployed code reads all versions')];
  return [
    missing(part, `the deployed code cannot read ${newer.join('; ')}. Deploy the code that wrote them`),
  ];
}

function firstNames(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return `${names.slice(0, SHOWN).join('; ')}${more > 0 ? ` and ${more} more` : ''}`;
}
