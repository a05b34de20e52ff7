// Whether a state of a mechanism differed elsewhere or before, and the calls that can show it. Pure.

import type { ContrastCall } from '../schema/contrast.ts';
import { isObject, parseJson } from '../text/json.ts';
import { isSameResource, parseResource } from '../text/resource.ts';
import { type MechanismRow, matchesRow, type RowMatch } from './mechanisms.ts';
import { baseName, fieldList } from './records/fieldList.ts';
import { findSiblings, isWellSince } from './records/identity.ts';
import type { StateRecord } from './records/record.ts';

/** A record that matches a row. */
export interface Speaking {
  row: MechanismRow;
  record: StateRecord;
  match: RowMatch;
}

/** The answer of a call for contrast. */
export interface ContrastAnswer {
  call: ContrastCall;
  /** Absent: it did not answer. */
  records?: readonly StateRecord[];
}

/** Whether a row matches elsewhere, and how that is known. */
export interface Contrast {
  state: 'shown' | 'usual' | 'open';
  /** `moment`: its own time; `series`: earlier samples; `earlier`, `sibling`: a call. */
  by?: 'moment' | 'series' | 'earlier' | 'sibling';
  /** Healthy siblings without the state. */
  siblings?: number;
  /** Why it is unknown. */
  why?: 'no_sibling' | 'not_asked' | 'no_answer';
}

/** A result with its records. */
interface ReadSource {
  id: string;
  /** `server.tool` */
  tool: string;
  arguments: string;
  /** The name of its field list. */
  fields?: string;
  records: readonly StateRecord[];
}

/** Where contrast is looked for. */
export interface ContrastScope {
  sources: readonly ReadSource[];
  /** Of the calls that were made. */
  answers: readonly ContrastAnswer[];
  /**
   * Objects and their controllers as earlier sessions learned them, by canonical names: they only propose
   * siblings to ask for. Only the answer shows whose they are. Absent: none.
   */
  learned?: readonly { object: string; owner: string }[];
  /** Milliseconds since 1970. */
  alertAt: number;
  now: number;
}

/** The calls for contrast of a session. */
const MOST_CALLS = 6;
/** Samples without the state before it started, and with it after. */
const [BEFORE, AFTER] = [3, 2];

/** Whether a support is contrasted by its time or samples, by siblings, or by answers of calls. */
export function decideContrast(one: Speaking, scope: ContrastScope): Contrast {
  const own = ownContrast(one, scope);
  if (own !== undefined) return { state: 'shown', by: own };
  const siblings = readSiblings(one, scope);
  const tool = findRecordTool(one, scope);
  const answers = scope.answers.filter(({ call }) => call.tool === tool);
  const [known] = [
    ...answers.flatMap((answer) => answeredContrast(one, answer, scope)),
    ...(siblings.length === 0 ? [] : [siblingContrast(one, siblings, scope)]),
  ].sort((a, b) => Number(a.state === 'shown') - Number(b.state === 'shown'));
  if (known !== undefined) return known;
  if (answers.length > 0) return { state: 'open', why: 'no_answer' };
  return { state: 'open', why: callsFor('', one, scope).length > 0 ? 'not_asked' : 'no_sibling' };
}

/** How the own time or the own samples of a state show that it is new; undefined where they do not. */
export function ownContrast(
  { row, match: { at, samples } }: Pick<Speaking, 'row' | 'match'>,
  { alertAt, now }: Pick<ContrastScope, 'alertAt' | 'now'>,
): 'moment' | 'series' | undefined {
  if (at === undefined || at < alertAt - row.within * 60_000 || at > now) return undefined;
  if (samples === undefined) return 'moment';
  const newest = samples.lastIndexOf(true);
  const began = samples.lastIndexOf(false, newest) + 1;
  const before = samples.slice(0, began).filter((isTrue) => !isTrue).length;
  return before >= BEFORE && newest - began + 1 >= AFTER ? 'series' : undefined;
}

/** The records of healthy siblings in results of the same tool. */
function readSiblings({ record }: Speaking, { sources, alertAt }: ContrastScope): StateRecord[] {
  const tool = findRecordTool({ record }, { sources });
  const all = sources.filter((source) => source.tool === tool).flatMap(({ records }) => records);
  return findSiblings(record, all).filter((one) => isWellSince(one, all, alertAt));
}

const findRecordTool = ({ record }: Pick<Speaking, 'record'>, { sources }: Pick<ContrastScope, 'sources'>) =>
  sources.find(({ id }) => id === record.result)?.tool;

const joined = new WeakMap<ContrastScope, readonly StateRecord[]>();

/** Whether a record matches the row as the support did: a row can compare two series. */
export function isAlike({ row }: Speaking, record: StateRecord, scope: ContrastScope): boolean {
  const { sources, answers, now } = scope;
  const others = joined.get(scope) ?? [...answers, ...sources].flatMap(({ records = [] }) => records);
  joined.set(scope, others);
  return matchesRow(row, record, { now, others }) !== undefined;
}

function siblingContrast(one: Speaking, siblings: readonly StateRecord[], scope: ContrastScope): Contrast {
  const without = siblings.filter((sibling) => !isAlike(one, sibling, scope)).length;
  return { state: without === 0 ? 'usual' : 'shown', by: 'sibling', siblings: without };
}

function answeredContrast(
  one: Speaking,
  { call, records = [] }: ContrastAnswer,
  scope: ContrastScope,
): Contrast[] {
  const { record } = one;
  if (call.by === 'sibling') {
    const well = findSiblings(record, records).filter((other) => isWellSince(other, records, scope.alertAt));
    return well.length === 0 ? [] : [siblingContrast(one, well, scope)];
  }
  const alike = records.filter(
    ({ kind, container, identity: { name, namespace }, series }) =>
      kind === record.kind &&
      container === record.container &&
      name === record.identity.name &&
      namespace === record.identity.namespace &&
      series?.metric === record.series?.metric,
  );
  if (alike.length === 0) return [];
  const isUsual = alike.some((other) => isAlike(one, other, scope));
  return [{ state: isUsual ? 'usual' : 'shown', by: 'earlier' }];
}

/** The calls that can show whether supports are contrasted: those for an earlier time first. */
export function contrastCalls(
  supports: readonly (Speaking & { id: string })[],
  scope: ContrastScope,
): ContrastCall[] {
  const open = supports.filter((one) => decideContrast(one, scope).state === 'open');
  const calls = open.flatMap((one) => callsFor(one.id, one, scope));
  const alike = Map.groupBy(calls, ({ tool, arguments: args }) => `${tool} ${args}`);
  return [...alike.values()]
    .flatMap(([call, ...more]) =>
      call === undefined ? [] : { ...call, supports: [call, ...more].flatMap(({ supports }) => supports) },
    )
    .sort((a, b) => Number(a.by === 'sibling') - Number(b.by === 'sibling'))
    .slice(0, MOST_CALLS);
}

/** The calls for a support. Texts are not rewritten inside: an argument is a time, a name, or unchanged. */
function callsFor(support: string, { record, match }: Speaking, scope: ContrastScope): ContrastCall[] {
  const source = scope.sources.find(({ id }) => id === record.result);
  const call =
    source?.fields === undefined ? undefined : fieldList(source.fields)?.calls[baseName(source.tool)];
  const args = parseJson(source?.arguments ?? '');
  if (source === undefined || call === undefined || !isObject(args)) return [];
  const { names, times } = call;
  const again = (changed: object, by: ContrastCall['by']): ContrastCall => ({
    tool: source.tool,
    arguments: JSON.stringify({ ...args, ...changed }),
    supports: [support],
    by,
  });
  const calls: ContrastCall[] = [];
  const [start = Number.NaN, end = Number.NaN] =
    times === undefined ? [] : [args[times.start], args[times.end]].map(parseArgumentTime);
  if (times !== undefined && end > start) {
    // The whole range lies before the first one, and so before the state started.
    const moved = Math.min(start, match.at ?? start) - end;
    const written = (name: string, ms: number) => ({ [name]: timeLike(args[name], ms + moved) });
    calls.push(again({ ...written(times.start, start), ...written(times.end, end) }, 'earlier'));
  }
  if (names !== undefined && args[names] === record.identity.name) {
    const all = scope.sources.flatMap(({ records }) => records);
    const [sibling] = findSiblings(record.of ?? record, all);
    const name = sibling?.identity.name ?? proposeSibling(record.of ?? record, scope.learned ?? []);
    if (name !== undefined) calls.push(again({ [names]: name }, 'sibling'));
  }
  return calls;
}

/** The name of an object that had the same controller when it was seen; undefined without one. */
function proposeSibling(
  { kind, identity: { name, namespace, cluster, owners } }: StateRecord,
  learned: NonNullable<ContrastScope['learned']>,
): string | undefined {
  const [controller] = owners;
  if (controller === undefined) return undefined;
  const place = { system: 'k8s', product: null } as const;
  const at = [cluster ?? null, namespace ?? null];
  const owner = { ...place, parts: [...at, controller.kind, controller.name] };
  const names = learned.flatMap((one) => {
    const object = parseResource(one.object);
    const [, , itsKind, its = null] = object?.parts ?? [];
    const isAlike = itsKind === kind && its !== name && isSameResource(owner, parseResource(one.owner));
    return isAlike && its !== null ? [its] : [];
  });
  return names[0];
}

/** A time as ISO 8601, with a fraction of a second only if the argument has one. */
function timeLike(argument: unknown, ms: number): string {
  const text = new Date(ms).toISOString();
  return String(argument).includes('.') ? text : text.replace('.000Z', 'Z');
}

/** A time of an argument in milliseconds since 1970; NaN for a relative one and for any other text. */
function parseArgumentTime(value: unknown): number {
  const seconds =
    typeof value === 'number' || (typeof value === 'string' && /^\d{9,11}(\.\d+)?$/.test(value));
  return seconds ? Number(value) * 1_000 : Date.parse(String(value));
}
