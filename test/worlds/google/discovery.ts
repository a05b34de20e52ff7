// Checks requests and answers of the stand-in by Google's discovery documents.

import { readFileSync } from 'node:fs';

interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema;
  enum?: string[];
}

interface Method {
  id: string;
  httpMethod: string;
  url: string;
  uploadUrl?: string;
  query: string[];
  request: string | null;
  response: string | null;
}

interface Pinned {
  common: string[];
  methods: Method[];
  schemas: Record<string, Schema>;
}

const PINNED: Record<string, Pinned> = JSON.parse(
  readFileSync(new URL('./discovery.json', import.meta.url), 'utf8'),
);
/** Sent by clients, and documented apart from the discovery documents. */
const UPLOAD_QUERY = ['uploadType'];

/** A method of one of Google's APIs. */
export interface KnownMethod extends Method {
  schemas: Record<string, Schema>;
}

/** The method of a request. @throws Error for an unknown method or other parameters. */
export function methodOf(httpMethod: string, url: URL): KnownMethod {
  const address = `${url.origin}${url.pathname}`;
  for (const { methods, schemas, common } of Object.values(PINNED))
    for (const method of methods) {
      const isUpload = method.uploadUrl !== undefined && matches(method.uploadUrl, address);
      if (
        method.httpMethod !== httpMethod ||
        !(isUpload || (!needsUpload(method) && matches(method.url, address)))
      )
        continue;
      const allowed = [...common, ...method.query, ...(isUpload ? UPLOAD_QUERY : [])];
      const unknown = [...url.searchParams.keys()].filter((name) => !allowed.includes(name));
      if (unknown.length > 0) throw new Error(`${method.id} has no parameter ${unknown.join(', ')}`);
      return { ...method, schemas };
    }
  throw new Error(`no method of Google's is ${httpMethod} ${address}`);
}

/** Objects are inserted by upload only. */
const needsUpload = ({ uploadUrl }: Method): boolean => uploadUrl !== undefined;

function matches(template: string, address: string): boolean {
  const parts = template.split(/\{\+?[^}]+\}/);
  const between = template.match(/\{\+?[^}]+\}/g) ?? [];
  const pattern = parts
    .map((part, index) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') + placeholder(between[index]))
    .join('');
  return new RegExp(`^${pattern}$`).test(address);
}

function placeholder(name: string | undefined): string {
  if (name === undefined) return '';
  return name.startsWith('{+') ? '.+' : '[^/:]+';
}

/** Checks JSON by a method's request or response. @throws Error with the first difference. */
export function checkShape(method: KnownMethod, kind: 'request' | 'response', value: unknown): void {
  const name = method[kind];
  if (name === null) return;
  check(value, { $ref: name }, method.schemas, `${kind} of ${method.id}`);
}

function check(value: unknown, schema: Schema, schemas: Record<string, Schema>, at: string): void {
  const known = schema.$ref === undefined ? schema : (schemas[schema.$ref] ?? {});
  const wrong = (expected: string): never => {
    throw new Error(`${at} is ${JSON.stringify(value)}: Google has ${expected}`);
  };
  if (known.type === 'array') {
    if (!Array.isArray(value)) wrong('a list');
    for (const [index, item] of (value as unknown[]).entries())
      check(item, known.items ?? {}, schemas, `${at}[${index}]`);
  } else if (known.type === 'object') {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) wrong('an object');
    for (const [name, field] of Object.entries(value as object)) {
      const property = known.properties?.[name] ?? known.additionalProperties;
      if (property === undefined) throw new Error(`${at} has no field ${name}`);
      check(field, property, schemas, `${at}.${name}`);
    }
  } else checkValue(value, known, wrong);
}

function checkValue(value: unknown, { type, enum: names }: Schema, wrong: (expected: string) => never): void {
  if (type === 'string' && typeof value !== 'string') wrong('a string');
  if (names && !names.includes(String(value))) wrong(`one of ${names.join(', ')}`);
  if (type === 'boolean' && typeof value !== 'boolean') wrong('a boolean');
  if ((type === 'integer' || type === 'number') && typeof value !== 'number') wrong('a number');
}
