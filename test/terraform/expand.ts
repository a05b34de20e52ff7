// Expands the resources of the module with the evaluated settings, as a plan would. That works because their
// arguments are plain references: nothing is computed outside of settings/.

import { readdirSync, readFileSync } from 'node:fs';
import { type Argument, type Block, parseHcl } from './hcl.ts';

/** A JSON value of Terraform. Sets are sorted lists. */
export type Value = string | number | boolean | null | Value[] | { [name: string]: Value };

/** A plan's resource. References stay references: `${google_pubsub_topic.topic["alerts"].id}`. */
export interface Resource {
  /** `google_pubsub_topic.topic["alerts"]`. */
  address: string;
  type: string;
  /** Arguments by name; each block is a list of its repetitions. */
  contents: Record<string, Value>;
}

/** The values that a block's expressions can refer to, beside other resources. */
interface Scope {
  settings: Record<string, Value>;
  /** `each`, and the variables of enclosing `dynamic` blocks. */
  iterators: Record<string, { key: Value; value: Value }>;
  resources: Block[];
}

/** Arguments that Terraform itself reads. */
const META = new Set(['for_each', 'provider', 'depends_on']);
const REFERENCE = /^[a-z_][\w-]*(?:\.[\w-]+|\["[^"]*"\]|\[[a-z_][\w.]*\])+$/;

/** All blocks of the .tf files of a folder. @param folder path or URL that ends in a slash. */
export function readModule(folder: URL): Block[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.tf'));
  return files.sort().flatMap((name) => parseHcl(readFileSync(new URL(name, folder), 'utf8'), name));
}

/**
 * The resources of the module.
 * @param blocks of the module's own folder.
 * @param settings the evaluated outputs of settings/.
 * @throws Error with file and line for an argument that is no literal and no plain reference, and for a
 *   reference to something that does not exist.
 */
export function expandResources(blocks: Block[], settings: Record<string, Value>): Resource[] {
  const resources = blocks.filter(({ type }) => type === 'resource');
  return resources.flatMap((block) => {
    const [type = '', name = ''] = block.labels;
    const scope: Scope = { settings, iterators: {}, resources };
    checkDependencies(block, scope);
    const forEach = block.arguments.for_each;
    if (forEach === undefined)
      return [{ address: `${type}.${name}`, type, contents: expandBody(block, scope) }];
    return itemsOf(evaluate(forEach, block, scope)).map(([key, value]) => ({
      address: `${type}.${name}[${JSON.stringify(key)}]`,
      type,
      contents: expandBody(block, { ...scope, iterators: { each: { key, value } } }),
    }));
  });
}

/** The resources that each waits for, `google_pubsub_topic.topic`: `depends_on`, references. */
export function dependenciesOf(blocks: Block[]): Record<string, string[]> {
  const resources = blocks.filter(({ type }) => type === 'resource');
  const names = resources.map(({ labels }) => labels.join('.'));
  return Object.fromEntries(
    resources.map((block) => {
      const found = JSON.stringify(block).match(/\b(?:google|time)_\w+\.\w+/g) ?? [];
      return [block.labels.join('.'), [...new Set(found)].filter((name) => names.includes(name))];
    }),
  );
}

function expandBody(block: Block, scope: Scope): Record<string, Value> {
  const contents: Record<string, Value> = {};
  for (const [name, argument] of Object.entries(block.arguments))
    if (!META.has(name)) contents[name] = evaluate(argument, block, scope);
  for (const inner of block.blocks) {
    if (inner.type === 'lifecycle') continue;
    const isDynamic = inner.type === 'dynamic';
    const name = isDynamic ? (inner.labels[0] ?? '') : inner.type;
    const repeated = isDynamic ? expandDynamic(inner, name, scope) : [expandBody(inner, scope)];
    contents[name] = [...((contents[name] as Value[] | undefined) ?? []), ...repeated];
  }
  return contents;
}

function expandDynamic(block: Block, name: string, scope: Scope): Value[] {
  const content = block.blocks.find(({ type }) => type === 'content');
  const forEach = block.arguments.for_each;
  if (content === undefined || forEach === undefined)
    throw fault(block, block.line, 'incomplete dynamic block');
  return itemsOf(evaluate(forEach, block, scope)).map(([key, value]) =>
    expandBody(content, { ...scope, iterators: { ...scope.iterators, [name]: { key, value } } }),
  );
}

/** Key and value of each repetition. A list of texts is a set, whose keys are its values. */
function itemsOf(collection: Value): [Value, Value][] {
  if (Array.isArray(collection))
    return collection.map((value, index) => [typeof value === 'string' ? value : index, value]);
  return Object.entries(collection as Record<string, Value>);
}

function evaluate({ text, line }: Argument, block: Block, scope: Scope): Value {
  if (/^"(?:[^"\\$%]|\\.)*"$/.test(text) || /^(?:true|false|null|[\d.]+)$/.test(text))
    return JSON.parse(text) as Value;
  const channels = /^concat\((\S+), values\((\S+)\)\[\*\]\.name\)$/.exec(text);
  // The one list of settings and of resources: the channels that exist, and those that the module creates.
  if (channels !== null)
    return [...(evaluate({ text: channels[1] ?? '', line }, block, scope) as Value[]), `\${${channels[2]}}`];
  if (!REFERENCE.test(text)) throw fault(block, line, `${text} is neither a literal nor a plain reference`);
  const steps = [...text.matchAll(/([a-z_][\w-]*)|\["([^"]*)"\]|\[([a-z_][\w.]*)\]/g)].map(
    ([, name, key, inner]) => ({
      name,
      key: inner === undefined ? key : evaluate({ text: inner, line }, block, scope),
    }),
  );
  const [{ name: root = '' } = {}, ...others] = steps;
  const path = others.map(({ name, key }) => (name ?? key) as string);
  if (root === 'module' && path[0] === 'settings')
    return follow(scope.settings, path.slice(1), text, block, line);
  const iterator = scope.iterators[root];
  if (iterator !== undefined) return follow(iterator, path, text, block, line);
  return referTo(root, path, text, block, line, scope);
}

function follow(start: object, path: string[], text: string, block: Block, line: number): Value {
  let value: unknown = start;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      throw fault(block, line, `${text}: there is no ${name}`);
    value = (value as Record<string, unknown>)[name];
  }
  return value as Value;
}

/** A reference to an attribute of a resource, with the key of its instance. */
function referTo(
  type: string,
  path: string[],
  text: string,
  block: Block,
  line: number,
  scope: Scope,
): Value {
  const [name = '', ...rest] = path;
  const target = scope.resources.find(({ labels }) => labels[0] === type && labels[1] === name);
  if (target === undefined) throw fault(block, line, `${text}: there is no such resource`);
  const forEach = target.arguments.for_each;
  if (forEach === undefined) return `\${${[type, name, ...rest].join('.')}}`;
  const [key = '', ...attributes] = rest;
  const keys = itemsOf(evaluate(forEach, target, scope)).map(([one]) => one);
  if (!keys.includes(key)) throw fault(block, line, `${text}: there is no instance ${JSON.stringify(key)}`);
  return `\${${type}.${name}[${JSON.stringify(key)}].${attributes.join('.')}}`;
}

/** Checks that the resources of `depends_on` exist. */
function checkDependencies(block: Block, { resources }: Scope): void {
  const names = block.arguments.depends_on?.text.match(/[\w.]+/g) ?? [];
  for (const name of names)
    if (!resources.some(({ labels }) => labels.join('.') === name))
      throw fault(block, block.arguments.depends_on?.line ?? 0, `depends_on: there is no ${name}`);
}

function fault(block: Block, line: number, why: string): Error {
  return new Error(`${block.file}:${line}: ${why}`);
}
