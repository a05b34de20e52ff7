// Edges of service maps, and of traces: parsed JSON. Pure.

import type { FoundEdge } from '../../kits/topology/topology.ts';
import { asObject, isObject } from '../../text/json.ts';
import { readName, workloadName } from './names.ts';

/** Values of a text that are read. */
const MAX_VALUES = 50_000;
/** The keys of both sides of an edge. */
const CALLER = ['parent', 'source', 'from', 'client', 'caller'];
const CALLED = ['child', 'target', 'to', 'server', 'callee'];
const NAMED = ['service', 'serviceName', 'service_name', 'workload', 'app', 'name', 'label'];
const LISTS = ['calls', 'dependencies', 'dependsOn', 'depends_on', 'downstream'];

/** Every object of a value, with the key under which it stands. */
function* objectsIn(root: unknown): Generator<{ object: Record<string, unknown>; key: string }> {
  const open: { value: unknown; key: string }[] = [{ value: root, key: '' }];
  for (let read = 0; read < MAX_VALUES; read++) {
    const next = open.pop();
    if (next === undefined) return;
    const { value, key } = next;
    if (Array.isArray(value)) for (const one of value.toReversed()) open.push({ value: one, key });
    else if (isObject(value)) {
      yield { object: value, key };
      for (const [its, one] of Object.entries(value).reverse()) open.push({ value: one, key: its });
    }
  }
}

const firstName = (object: Record<string, unknown>, keys: readonly string[]): string | undefined =>
  keys.flatMap((key) => readName(object[key]) ?? [])[0];

/** The edges of a service map, as its tool states them. */
export function* edgesOfMap(root: unknown): Generator<FoundEdge> {
  const nodes = new Map<string, string>();
  for (const { object } of objectsIn(root)) {
    const named = firstName(object, NAMED);
    if (typeof object.id === 'string' && named !== undefined) nodes.set(object.id, named);
  }
  const edge = (caller: unknown, called: unknown): FoundEdge[] => {
    const [from, to] = [caller, called].map((side) => nodes.get(String(side)) ?? readName(side));
    if (from === undefined || to === undefined) return [];
    const [name, other] = [workloadName({ name: from }), workloadName({ name: to })];
    return [{ from: name, to: other, how: 'calls', by: 'stated', line: null }];
  };
  for (const { object, key } of objectsIn(root)) {
    const sides = [CALLER, CALLED].map((keys) => keys.find((one) => object[one] !== undefined));
    if (sides[0] !== undefined && sides[1] !== undefined) yield* edge(object[sides[0]], object[sides[1]]);
    const own = firstName(object, NAMED) ?? key;
    for (const list of LISTS)
      for (const one of Array.isArray(object[list]) ? object[list] : [])
        yield* edge(own, isObject(one) ? firstName(one, NAMED) : one);
  }
}

interface Span {
  parent: string | undefined;
  service: string | undefined;
  peer: string | undefined;
}

/** The edges of spans whose parent is of another service, and of spans that name their peer. */
export function* edgesOfTraces(root: unknown): Generator<FoundEdge> {
  const spans = new Map<string, Span>();
  for (const [service, object] of spansIn(root)) {
    const id = object.spanID ?? object.spanId ?? object.span_id;
    const isSpan = typeof id === 'string' && object.refType === undefined;
    if (isSpan && spans.size < MAX_VALUES) spans.set(id, readSpan(object, service));
  }
  for (const { parent, service, peer } of spans.values()) {
    if (service === undefined) continue;
    const calling = parent === undefined ? undefined : spans.get(parent)?.service;
    if (calling !== undefined) yield seen(calling, service);
    if (peer !== undefined) yield seen(service, peer);
  }
}

const seen = (from: string, to: string): FoundEdge => ({
  from: workloadName({ name: from }),
  to: workloadName({ name: to }),
  how: 'calls',
  by: 'seen',
  line: null,
});

/** The objects of a value that can be spans, with the service of the process or resource around them. */
function* spansIn(
  value: unknown,
  service?: string,
  processes: Record<string, unknown> = {},
  depth = 0,
): Generator<[string | undefined, Record<string, unknown>]> {
  if (depth > 12) return;
  if (Array.isArray(value)) {
    for (const one of value.slice(0, MAX_VALUES)) yield* spansIn(one, service, processes, depth + 1);
  } else if (isObject(value)) {
    const known = isObject(value.processes) ? value.processes : processes;
    const process = asObject(known[String(value.processID)]);
    const around = readAttributes(asObject(value.resource).attributes ?? process.tags)['service.name'];
    const own = firstName({ ...process, ...value }, ['serviceName', 'service_name', 'service']);
    const its = own ?? readName(around) ?? service;
    yield [its, value];
    for (const one of Object.values(value))
      if (typeof one === 'object') yield* spansIn(one, its, known, depth + 1);
  }
}

function readSpan(object: Record<string, unknown>, service: string | undefined): Span {
  const [reference] = Array.isArray(object.references) ? object.references : [];
  const parent = object.parentSpanID ?? object.parentSpanId ?? object.parent_id ?? asObject(reference).spanID;
  const tags = readAttributes(object.attributes ?? object.tags);
  const peer = readName(tags['peer.service'] ?? tags['db.system']);
  return { parent: typeof parent === 'string' ? parent : undefined, service, peer };
}

/** Attributes by key, of a map, of OpenTelemetry's list or of Jaeger's. */
function readAttributes(value: unknown): Record<string, unknown> {
  if (!Array.isArray(value)) return asObject(value);
  return Object.fromEntries(
    value.slice(0, 200).map((one) => {
      const { key, value: its } = asObject(one);
      return [String(key), isObject(its) ? its.stringValue : its];
    }),
  );
}
