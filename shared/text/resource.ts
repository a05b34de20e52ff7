// Canonical names of resources: `k8s:CLUSTER/NAMESPACE/Kind/NAME`, `gcp:run:PROJECT/REGION/NAME`,
// `git:OWNER/REPO`. Two names are equal exactly if they name the same resource, as far as it is known.

import { makeVisible } from './hiddenCharacters.ts';

/** The parts of each system's names, in order. */
export const RESOURCE_PARTS = {
  /** Kinds are those of Kubernetes: `Deployment`, `Node`. A resource without a namespace has `-` there. */
  k8s: ['cluster', 'namespace', 'kind', 'name'],
  /** Behind a product, such as `gcp:run:` or `gcp:sql:`. */
  gcp: ['project', 'location', 'name'],
  /** Behind a product, such as `aws:lambda:`. */
  aws: ['account', 'region', 'name'],
  /** Behind a product, such as `azure:vm:`. */
  azure: ['subscription', 'group', 'name'],
  /** In lower case. Subgroups stand in the owner: `group%2Fsub`. */
  git: ['owner', 'repository'],
  host: ['name'],
  flag: ['name'],
  /** A service of which no more is known than its name. */
  service: ['name'],
} as const satisfies Record<string, readonly string[]>;
type ResourceSystem = keyof typeof RESOURCE_PARTS;

/** Systems with a product between their name and the parts. */
const WITH_PRODUCT: ReadonlySet<string> = new Set<ResourceSystem>(['gcp', 'aws', 'azure']);
/** The part that is not known. */
const UNKNOWN_PART = '-';
/** Characters of a part, before others are encoded. */
const MAX_PART = 120;
const PRODUCT = /^[a-z][a-z0-9-]{0,30}$/;
const PART = /^(?:[A-Za-z0-9._@:+~-]|%[0-9A-F]{2})+$/;

/** A resource, by its parts. */
export interface Resource {
  /** The system that it belongs to. */
  system: ResourceSystem;
  /** `run`, `sql`, `lambda`; null in systems without products. */
  product: string | null;
  /** The parts of `RESOURCE_PARTS`, decoded; null if not known. */
  parts: (string | null)[];
}

/**
 * The canonical name of a resource.
 * @param parts as many as `RESOURCE_PARTS` has for the system; missing and empty ones are not known. Other
 *   characters than letters, digits and `._@:+~-` are percent-encoded; longer parts are cut at 120
 *   characters.
 */
export function resourceName({ system, product, parts }: Resource): string {
  const head = product === null ? system : `${system}:${product}`;
  return `${head}:${RESOURCE_PARTS[system].map((_, index) => encodePart(system, parts[index] ?? null)).join('/')}`;
}

/** The resource with a canonical name; undefined for any other text. */
export function parseResource(name: string): Resource | undefined {
  const [system = '', ...rest] = name.split(':');
  if (!isSystem(system)) return undefined;
  const product = WITH_PRODUCT.has(system) ? (rest.shift() ?? '') : null;
  if (product !== null && !PRODUCT.test(product)) return undefined;
  const encoded = rest.join(':').split('/');
  if (encoded.length !== RESOURCE_PARTS[system].length || !encoded.every((part) => PART.test(part)))
    return undefined;
  const parts = encoded.map((part) => (part === UNKNOWN_PART ? null : decodePart(part)));
  const resource: Resource = { system, product, parts };
  // Only one spelling is canonical.
  return resourceName(resource) === name ? resource : undefined;
}

function isSystem(text: string): text is ResourceSystem {
  return Object.hasOwn(RESOURCE_PARTS, text);
}

function encodePart(system: ResourceSystem, part: string | null): string {
  const text = makeVisible((part ?? '').trim())
    .slice(0, MAX_PART)
    .toWellFormed();
  if (text === '') return UNKNOWN_PART;
  if (text === UNKNOWN_PART) return '%2D';
  const spelled = system === 'git' ? text.toLowerCase() : text;
  return encodeURIComponent(spelled)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%(40|3A|2B)/g, (code) => decodeURIComponent(code));
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

/** Whether two names can mean one resource: missing parts match any; the name itself must match. */
export function isSameResource(one: Resource, other: Resource | undefined): boolean {
  if (other === undefined || one.system !== other.system || one.product !== other.product) return false;
  const last = one.parts.length - 1;
  return one.parts.every((part, index) => {
    const its = other.parts[index] ?? null;
    return part === its || (index < last && (part === null || its === null));
  });
}
