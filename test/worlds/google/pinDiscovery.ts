// Pins what the stand-in of Google's control plane needs of Google's discovery documents: methods, their
// parameters, and the names and types of fields. `node test/worlds/google/pinDiscovery.ts FOLDER` reads
// STORAGE.v1.json and the others from FOLDER; the package google-api-python-client has them in
// googleapiclient/discovery_cache/documents.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'node:util';

/** The methods that the commands call, by document. */
const METHODS: Record<string, string[]> = {
  'storage.v1': [
    'buckets.get',
    'buckets.insert',
    'buckets.patch',
    'buckets.delete',
    'objects.list',
    'objects.get',
    'objects.insert',
    'objects.delete',
  ],
  'secretmanager.v1': ['projects.secrets.versions.list', 'projects.secrets.addVersion'],
  'serviceusage.v1': ['services.batchEnable', 'services.list', 'operations.get'],
  'serviceusage.v1beta1': ['services.consumerQuotaMetrics.list'],
  'cloudresourcemanager.v1': ['projects.get', 'projects.getIamPolicy'],
  'run.v2': ['projects.locations.services.list', 'projects.locations.services.getIamPolicy'],
  'pubsub.v1': [
    'projects.subscriptions.get',
    'projects.subscriptions.getIamPolicy',
    'projects.topics.getIamPolicy',
  ],
  'firestore.v1': [
    'projects.databases.get',
    'projects.databases.patch',
    'projects.databases.operations.get',
    'projects.databases.collectionGroups.indexes.list',
    'projects.databases.collectionGroups.fields.list',
  ],
};

interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema;
  enum?: string[];
}

interface Method {
  httpMethod: string;
  path: string;
  flatPath?: string;
  parameters?: Record<string, { location: string }>;
  request?: { $ref: string };
  response?: { $ref: string };
  mediaUpload?: { protocols: { simple: { path: string } } };
}

interface Resource {
  methods?: Record<string, Method>;
  resources?: Record<string, Resource>;
}

interface Document extends Resource {
  rootUrl: string;
  servicePath: string;
  revision: string;
  parameters: Record<string, unknown>;
  schemas: Record<string, Schema>;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('name the folder with the discovery documents');
const pinned = Object.fromEntries(
  Object.entries(METHODS).map(([name, ids]) => {
    const document: Document = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
    return [name, pinDocument(document, ids)];
  }),
);
const file = new URL('./discovery.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(pinned, null, 1)}\n`);
console.log(format('%s: %s', file.pathname, Object.keys(pinned).join(', ')));

function pinDocument(document: Document, ids: string[]) {
  const methods = ids.map((id) => {
    const {
      httpMethod,
      path,
      flatPath = path,
      parameters = {},
      request,
      response,
      mediaUpload,
    } = methodOf(document, id);
    const query = Object.keys(parameters).filter((name) => parameters[name]?.location === 'query');
    return {
      id,
      httpMethod,
      url: `${document.rootUrl}${document.servicePath}${flatPath}`,
      ...(mediaUpload && { uploadUrl: `${document.rootUrl}${mediaUpload.protocols.simple.path.slice(1)}` }),
      query,
      request: request?.$ref ?? null,
      response: response?.$ref ?? null,
    };
  });
  const schemas: Record<string, Schema> = {};
  const add = (name: string | null) => {
    const schema = name === null ? undefined : document.schemas[name];
    if (name === null || schema === undefined || name in schemas) return;
    // First, because schemas refer to themselves.
    schemas[name] = {};
    schemas[name] = trim(schema, add);
  };
  for (const { request, response } of methods) for (const name of [request, response]) add(name);
  return { revision: document.revision, common: Object.keys(document.parameters), methods, schemas };
}

function methodOf(document: Document, id: string): Method {
  const parts = id.split('.');
  const name = parts.pop() ?? '';
  let resource: Resource | undefined = document;
  for (const part of parts) resource = resource?.resources?.[part];
  const method = resource?.methods?.[name];
  if (method === undefined) throw new Error(`no method ${id}`);
  return method;
}

/** Names and types only. Schemas it refers to are added. */
function trim(schema: Schema, add: (name: string) => void): Schema {
  if (schema.$ref !== undefined) {
    add(schema.$ref);
    return { $ref: schema.$ref };
  }
  return {
    ...(schema.type !== undefined && { type: schema.type }),
    ...(schema.enum && { enum: schema.enum }),
    ...(schema.items && { items: trim(schema.items, add) }),
    ...(schema.additionalProperties && { additionalProperties: trim(schema.additionalProperties, add) }),
    ...(schema.properties && {
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([name, value]) => [name, trim(value, add)]),
      ),
    }),
  };
}
