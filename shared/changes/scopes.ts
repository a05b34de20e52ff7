// The scopes of changes and alerts: the names by which nearby changes are found, with distance. Pure.

import { createHash } from 'node:crypto';
import type { Place } from '../alerts/alertLocation.ts';
import type { Located, Services } from '../alerts/resource.ts';
import { parseResource } from '../text/resource.ts';
import { utcDay } from '../text/utcPeriod.ts';

/** Scopes of all changes, for an alert without a known resource, and of incidents of providers. */
const ANY_SCOPE = '*';
const PROVIDER_SCOPE = 'provider';
/** Queries compare at most 30 values; a window has at most two days. */
const MAX_SCOPES = 15;

/** The share of a change's weight that remains at a distance. Fixed before the cases of `rank.test.ts`. */
const CLOSENESS = {
  same: 1,
  service: 0.9,
  name: 0.8,
  dependency: 0.6,
  namespace: 0.35,
  provider: 0.3,
  cluster: 0.12,
  project: 0.12,
  any: 0.06,
} as const;

/** The relation of a change to an alert, the nearest first. */
export type Relation = keyof typeof CLOSENESS;
/** The share of the weight that remains for a relation, from 0 to 1. */
export const weighRelation = (relation: Relation): number => CLOSENESS[relation];

/** The scope of all resources with a name, in any letter case. */
const nameScope = (name: string): string => `name:${name.toLowerCase()}`;
const namespaceScope = (namespace: string): string => `namespace:${namespace}`;
const clusterScope = (cluster: string): string => `cluster:${cluster}`;
const projectScope = (project: string): string => `project:${project}`;

function ownScopes(resource: string): string[] {
  const parsed = parseResource(resource);
  if (parsed === undefined) return [resource];
  const { system, product, parts } = parsed;
  const [first, second] = parts;
  const name = parts.at(-1);
  const scopes = [resource, ...(name ? [nameScope(name)] : [])];
  if (system === 'k8s') {
    if (first) scopes.push(clusterScope(first));
    if (second) scopes.push(namespaceScope(second));
  }
  if ((system === 'gcp' || system === 'aws' || system === 'azure') && first) scopes.push(projectScope(first));
  if (system === 'gcp' && product === 'incident') scopes.push(PROVIDER_SCOPE);
  return scopes;
}

/** The scopes of a change. @param project of the cloud, where the name of the resource has none. */
export function listChangeScopes(
  resource: string,
  affects: readonly string[] = [],
  project?: string,
): string[] {
  const all = [resource, ...affects].flatMap(ownScopes);
  return [...new Set([ANY_SCOPE, ...all, ...(project ? [projectScope(project)] : [])])].slice(0, 40);
}

/** The scopes of a search: all resources, a canonical resource with those of its name, or only a name. */
export function scopesOfName(resource = ''): string[] {
  const text = resource.trim();
  if (text === '') return [ANY_SCOPE];
  const name = parseResource(text)?.parts.at(-1);
  return name ? [text, nameScope(name)] : [nameScope(text)];
}

/** The scopes of an alert with the relation of changes in them, the nearest first, at most 15. */
export function alertScopes(located: Located, services: Services): Map<string, Relation> {
  const { resource, service, place } = located;
  const known = service === null ? undefined : services[service];
  const scopes = new Map<string, Relation>();
  const add = (relation: Relation, names: readonly string[]) => {
    for (const name of names)
      if (!scopes.has(name) && scopes.size < MAX_SCOPES - 1) scopes.set(name, relation);
  };
  if (resource !== null) add('same', [resource]);
  add(
    'service',
    known === undefined
      ? []
      : [...known.workloads, ...(known.repository ? [known.repository] : []), ...known.flags],
  );
  const names = [
    resource === null ? undefined : parseResource(resource)?.parts.at(-1),
    service,
    place.workload,
  ];
  add('name', [...new Set(names.flatMap((name) => (name ? [nameScope(name)] : [])))]);
  add('namespace', placeScopes(place).namespace);
  add('cluster', placeScopes(place).cluster);
  add('project', placeScopes(place).project);
  add('provider', [PROVIDER_SCOPE]);
  const dependencies = (known?.dependencies ?? []).flatMap((name) => {
    const other = services[name];
    return other === undefined
      ? [name, ...(parseResource(name) === undefined ? [nameScope(name)] : [])]
      : [...other.workloads, ...(other.repository ? [other.repository] : []), nameScope(name)];
  });
  add('dependency', dependencies);
  const isPlaced = [place.namespace, place.cluster, place.project].some((part) => part !== null);
  if (!isPlaced) scopes.set(ANY_SCOPE, 'any');
  return scopes;
}

function placeScopes({
  namespace,
  cluster,
  project,
}: Place): Record<'namespace' | 'cluster' | 'project', string[]> {
  return {
    namespace: namespace === null ? [] : [namespaceScope(namespace)],
    cluster: cluster === null ? [] : [clusterScope(cluster)],
    project: project === null ? [] : [projectScope(project)],
  };
}

/** The nearest relation of a change to an alert; `any` without one. @param scopes with or without days. */
export function findNearestRelation(
  scopes: readonly string[],
  wanted: ReadonlyMap<string, Relation>,
): Relation {
  const found = scopes.flatMap((scope) => wanted.get(scope.slice(scope.indexOf('|') + 1)) ?? []);
  return found.sort((one, other) => CLOSENESS[other] - CLOSENESS[one])[0] ?? 'any';
}

/** A scope on the day of a change, as it is stored. */
export const scopeOn = (at: Date, scope: string): string => `${utcDay(at)}|${scope}`;

const DAY_MS = 24 * 3_600_000;

/** The stored scopes of a window: one of each day for each scope. */
export const scopesBetween = (scopes: Iterable<string>, since: Date, until: Date): string[] => {
  const days = new Set([utcDay(until)]);
  for (let at = since.getTime(); at <= until.getTime(); at += DAY_MS) days.add(utcDay(new Date(at)));
  return [...scopes].flatMap((scope) => [...days].map((day) => `${day}|${scope}`));
};

/** Characters of the words of a resource in an id. */
const MAX_WORDS = 60;

/** The start of the ids of the changes of a resource: `k8s-prod-shop-deployment-cart-3f2a1c`. */
export function resourceId(tenantId: string, resource: string): string {
  const words =
    resource
      .toLowerCase()
      .match(/[a-z0-9]+/g)
      ?.join('-') ?? 'resource';
  const digest = createHash('sha256').update(`${tenantId}\0${resource}`).digest('hex');
  return `${words.slice(0, MAX_WORDS)}-${digest.slice(0, 6)}`;
}

/** A time in an id: `20261127T014747123Z`. */
export const timeId = (at: Date): string => at.toISOString().replace(/[-:.]/g, '');
