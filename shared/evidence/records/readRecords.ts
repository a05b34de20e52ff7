// Reads the states of a control plane in a stored result, by the field list of its tool. Only listed fields
// are looked for, in the outermost objects of the answer; everything else is text. Pure.

import { parseCallArguments } from '../../text/callArguments.ts';
import { asText } from '../../text/json.ts';
import {
  baseName,
  type CallTarget,
  type FieldCall,
  type FieldList,
  findFieldKind,
  NAME,
  type Source,
} from './fieldList.ts';
import { readSeries } from './readSeries.ts';
import { isTable, readTable } from './readTable.ts';
import type { Identity, ReadResult, StateField, StateRecord } from './record.ts';
import { listTreeItems, nodeAt, readTree, type TreeNode, textAt } from './tree.ts';

/** A stored result of a tool that has a field list. */
interface ReadableResult {
  id: string;
  /** `server.tool` */
  tool: string;
  /** JSON text of the call's arguments. */
  arguments: string;
  /** The stored text. */
  text: string;
  /** Whether the text lacks a part of the answer. */
  isCut: boolean;
}

const UNREAD: ReadResult = { records: [], isWhole: false };
/** Reasons, times, quantities, phases. Nothing else in a field is written by a control plane. */
const WORD = /^[\w.:/+-]{1,100}$/;

/** The records of a stored result. */
export function readRecords(result: ReadableResult, list: FieldList): ReadResult {
  const call = list.calls[baseName(result.tool)];
  if (call === undefined) return UNREAD;
  const args = parseCallArguments(result.arguments);
  // A part that is left out leaves an empty line.
  const text = result.isCut ? (result.text.split('\n\n')[0] ?? '') : result.text;
  const query = call.samples === undefined ? undefined : (asText(args[call.samples]) ?? '');
  const target = resolveCallTarget(call, args);
  const source = { result: result.id, list, target };
  const read = query === undefined ? readAny(text, result.isCut, source) : readSeries(text, query, source);
  if (read === undefined) return UNREAD;
  return { records: read.records, isWhole: read.isWhole && !result.isCut };
}

function resolveCallTarget(call: FieldCall, args: Record<string, unknown>): CallTarget {
  const named = (argument: string | undefined) =>
    argument === undefined ? undefined : asText(args[argument]);
  const target = {
    kind: call.kind ?? named(call.kindFrom),
    apiVersion: named('apiVersion'),
    name: named(call.names),
    namespace: named(call.namespace),
    cluster: named(call.cluster),
  };
  return Object.fromEntries(Object.entries(target).filter(([, value]) => value !== undefined));
}

function readAny(text: string, isCut: boolean, source: Source): ReadResult | undefined {
  if (isTable(text)) return readTable(text, isCut, source);
  // Of YAML, the last item of a list that ends early is not whole. JSON shows itself where it ends.
  const isYaml = !/^\s*[[{]/.test(text);
  const root = readTree(isCut && isYaml ? text.slice(0, Math.max(0, text.lastIndexOf('\n- ') + 1)) : text);
  if (root === undefined) return undefined;
  const items = Array.isArray(root.value) ? root.value : listTreeItems(nodeAt(root, 'items'));
  const isList = Array.isArray(root.value) || nodeAt(root, 'items') !== undefined;
  const around = {
    kind: textAt(root, 'kind')?.replace(/List$/, ''),
    apiVersion: textAt(root, 'apiVersion'),
  };
  const objects: readonly TreeNode[] = isList ? items : isCut ? [] : [root];
  const records = objects.flatMap((one) => objectRecords(one, around, source));
  return { records, isWhole: !root.isCut && !isCut };
}

function objectRecords(
  object: TreeNode,
  around: { kind: string | undefined; apiVersion: string | undefined },
  { result, list, target }: Source,
): StateRecord[] {
  const kind = textAt(object, 'kind') ?? around.kind;
  const apiVersion = textAt(object, 'apiVersion') ?? around.apiVersion;
  const listed = findFieldKind(list, `${apiVersion}/${kind}`);
  const identity = readObjectIdentity(object, target);
  if (kind === undefined || apiVersion === undefined || !listed || !identity || object.isCut) return [];
  const own = { result, kind, apiVersion, identity };
  const record = { ...own, ...readStateFieldsAt(object, listed.fields) };
  const { containers } = listed;
  const inner = (containers?.from ?? []).flatMap((from) =>
    listTreeItems(nodeAt(object, 'status', from)).flatMap((one) => {
      const container = textAt(one, 'name') ?? '';
      if (!NAME.test(container)) return [];
      return [{ ...own, container, of: record, ...readStateFieldsAt(one, containers?.fields ?? []) }];
    }),
  );
  // Two containers of one name would leave open which of them failed.
  const names = inner.map(({ container }) => container);
  return [
    record,
    ...inner.filter((_, at) => names.indexOf(names[at] ?? '') === names.lastIndexOf(names[at] ?? '')),
  ];
}

function readObjectIdentity(object: TreeNode, { cluster }: CallTarget): Identity | undefined {
  const name = textAt(object, 'metadata', 'name') ?? '';
  const namespace = textAt(object, 'metadata', 'namespace');
  const node = textAt(object, 'spec', 'nodeName');
  if (!NAME.test(name) || (namespace !== undefined && !NAME.test(namespace))) return undefined;
  const owners = listTreeItems(nodeAt(object, 'metadata', 'ownerReferences')).flatMap((owner) => {
    const [kind, its] = [textAt(owner, 'kind'), textAt(owner, 'name')];
    const isController = nodeAt(owner, 'controller')?.value === true;
    const isNamed = kind !== undefined && its !== undefined && WORD.test(kind) && NAME.test(its);
    return isController && isNamed ? [{ kind, name: its }] : [];
  });
  return {
    ...(cluster !== undefined && { cluster }),
    ...(namespace !== undefined && { namespace }),
    name,
    owners,
    ...(node !== undefined && NAME.test(node) && { node }),
  };
}

/** The fields at paths, and whether everything that stands there could be read. */
function readStateFieldsAt(
  object: TreeNode,
  paths: readonly string[],
): Pick<StateRecord, 'fields' | 'isObject'> {
  const found = paths.flatMap((path) => pathsAt(object, path.split(/\.|(?=\[)/), ''));
  const there = found.filter(([, { value }]) => value !== null);
  const fields = new Map(
    there.flatMap(([path, node]) => {
      const field = toStateField(node);
      return field === undefined ? [] : [[path, field] as const];
    }),
  );
  const isObject = fields.size === there.length;
  // A program chooses its exit code; only a reason states the cause.
  for (const path of fields.keys())
    if (path.endsWith('.exitCode') && !fields.has(path.replace(/exitCode$/, 'reason'))) fields.delete(path);
  return { fields, ...(isObject && { isObject }) };
}

/** The values at a path, with their paths: several where it has `*`. */
function pathsAt(node: TreeNode, steps: readonly string[], path: string): [string, TreeNode][] {
  const [step, ...rest] = steps;
  if (step === undefined) return [[path, node]];
  if (step.startsWith('[')) {
    // Items that claim the same type leave open which of them counts.
    const items = listTreeItems(node).filter((item) => `[${textAt(item, 'type')}]` === step);
    const [item] = items;
    return item === undefined || items.length > 1 ? [] : pathsAt(item, rest, `${path}${step}`);
  }
  if (!(node.value instanceof Map)) return [];
  const keys = step === '*' ? [...node.value.keys()].filter((key) => WORD.test(key)) : [step];
  return keys.flatMap((key) => {
    const child = nodeAt(node, key);
    return child === undefined ? [] : pathsAt(child, rest, path === '' ? key : `${path}.${key}`);
  });
}

/** The field of a value; undefined for a value that no control plane writes. */
function toStateField({ value, start, end }: TreeNode): StateField | undefined {
  const isField =
    typeof value === 'string' ? WORD.test(value) : typeof value === 'number' || typeof value === 'boolean';
  return isField ? { value: value as StateField['value'], start, end } : undefined;
}
