// The support for a hypothesis in the results: matching records, contradictions, texts. Pure.

import { CHANGES } from '../text/mechanisms.ts';
import {
  type Contrast,
  type ContrastScope,
  decideContrast,
  isAlike,
  ownContrast,
  type Speaking,
} from './contrast.ts';
import { leadsTo, listMechanismWords, matchesRow, mechanismRows } from './mechanisms.ts';
import { findReplicaSet, isRecordOfComponent, isWellSince } from './records/identity.ts';
import type { StateField, StateRecord } from './records/record.ts';
import type { Mechanism } from './schema/mechanism.ts';

/** A component that fails in a way. */
interface Suspect {
  /** A canonical resource. */
  component?: string | undefined;
  mechanism?: Mechanism | undefined;
}

interface Cited {
  quote?: string | undefined;
  pointer?: string | undefined;
  value?: string | undefined;
}

/** The records of a component in all results. */
export function findComponentRecords(
  component: string | undefined,
  { sources }: ContrastScope,
): StateRecord[] {
  const all = sources.flatMap(({ records }) => records);
  return component === undefined ? [] : all.filter((record) => isRecordOfComponent(record, component, all));
}

const known = new WeakMap<ContrastScope, Map<string, Speaking[]>>();

/** The states of a component that match rows. @param mechanism those of one mechanism; absent: of all. */
export function findMatchingStates({ component = '', mechanism }: Suspect, scope: ContrastScope): Speaking[] {
  const all = known.get(scope) ?? new Map<string, Speaking[]>();
  known.set(scope, all);
  const states = all.get(component) ?? matchingStates(component, scope);
  all.set(component, states);
  return mechanism === undefined ? states : states.filter(({ row }) => row.mechanism === mechanism);
}

function matchingStates(component: string, scope: ContrastScope): Speaking[] {
  const others = scope.sources.flatMap(({ records }) => records);
  return findComponentRecords(component, scope).flatMap((record) =>
    mechanismRows().flatMap((row) => {
      const match = matchesRow(row, record, { now: scope.now, others });
      return match === undefined ? [] : [{ row, record, match }];
    }),
  );
}

/** The states that evidence from one result cites: its line or its value is that of a field of the row. */
export function citedStates(
  evidence: Cited,
  { id, text }: { id: string; text: string },
  states: readonly Speaking[],
): Speaking[] {
  return states.filter(({ record, match }) => {
    if (record.result !== id) return false;
    return record.series !== undefined || match.fields.some((field) => isCited(field, evidence, text));
  });
}

/** Whether a state supports a mechanism by itself: neither a change nor a symptom does. */
export const isSupport = ({ row }: Pick<Speaking, 'row'>): boolean =>
  row.change !== true && row.symptom !== true;

function isCited(
  { value, start, end }: StateField,
  { quote = '', pointer, value: named }: Cited,
  text: string,
) {
  const own = text.slice(start, end).trim();
  if (pointer !== undefined) return named?.trim() === own || named?.trim() === String(value);
  const line = text.slice(text.lastIndexOf('\n', start) + 1).split('\n', 1)[0] ?? '';
  return (
    quote.includes(own) &&
    quote.split('\n').some((part) => line.includes(part.trim()) || part.includes(line.trim()))
  );
}

/** The best contrast of states: shown before usual, since one contrasted row is enough. */
export function bestContrast(
  states: readonly Speaking[],
  scope: ContrastScope,
): { state: Speaking; contrast: Contrast } | undefined {
  const order: Contrast['state'][] = ['shown', 'open', 'usual'];
  return states
    .map((state) => ({ state, contrast: decideContrast(state, scope) }))
    .sort((a, b) => order.indexOf(a.contrast.state) - order.indexOf(b.contrast.state))[0];
}

/** Contrasted states of other mechanisms on the component: contradictions, and possible origins. */
export function otherStates(
  suspect: Suspect,
  own: readonly Speaking[],
  scope: ContrastScope,
): { against: Speaking[]; upstream: Speaking[] } {
  const { component, mechanism } = suspect;
  const containers = new Set(own.flatMap(({ record }) => record.container ?? []));
  const others = findMatchingStates({ component }, scope).filter(
    ({ row, record, match }) =>
      row.mechanism !== mechanism &&
      isSupport({ row }) &&
      ownContrast({ row, match }, scope) !== undefined &&
      // The state of another container is that container's.
      (record.container === undefined || containers.size === 0 || containers.has(record.container)),
  );
  const leads = (from: string, to: string | undefined) => to !== undefined && leadsTo(from, to);
  return {
    against: others.filter(({ row }) => !isLinked(row.mechanism, mechanism)),
    upstream: others.filter(({ row }) => leads(row.mechanism, mechanism)),
  };
}

/** Whether one mechanism is a documented effect of the other. */
export const isLinked = (one: Mechanism | undefined, other: Mechanism | undefined): boolean =>
  one !== undefined && other !== undefined && (one === other || leadsTo(one, other) || leadsTo(other, one));

interface ChangeFacts {
  /** How many the results have of: change, symptom after it, healthy pod of another revision. */
  things: number;
  change: Speaking;
  symptom?: Speaking;
}

/** The change of a hypothesis of which the results have the most; undefined without one. */
export function findBestChange(suspect: Suspect, scope: ContrastScope): ChangeFacts | undefined {
  if (!CHANGES.has(suspect.mechanism)) return undefined;
  const changes = findMatchingStates(suspect, scope).filter(
    ({ row, match }) => row.change === true && ownContrast({ row, match }, scope) !== undefined,
  );
  const symptoms = findMatchingStates({ component: suspect.component }, scope).filter(
    ({ row }) => row.change !== true,
  );
  const found = changes.map((change): ChangeFacts => {
    const changedAt = change.match.at ?? 0;
    const across = symptoms.filter(
      ({ row, match }) =>
        ownContrast({ row, match }, scope) !== undefined && match.at !== undefined && match.at >= changedAt,
    );
    const isWellWithout = across.some((one) => isWellBefore(change.record, one, suspect.component, scope));
    const things = 1 + Number(across.length > 0) + Number(isWellWithout);
    return { things, change, ...(across[0] && { symptom: across[0] }) };
  });
  return found.toSorted((a, b) => b.things - a.things)[0];
}

/** Whether a healthy pod of another revision lacks the symptom of a pod of the changed revision. */
function isWellBefore(
  { kind, identity }: StateRecord,
  symptom: Speaking,
  component: string | undefined,
  scope: ContrastScope,
): boolean {
  const { record } = symptom;
  if (kind !== 'ReplicaSet' || findReplicaSet(record) !== identity.name) return false;
  const all = scope.sources.flatMap(({ records }) => records);
  return findComponentRecords(component, scope).some(
    (other) =>
      other.kind === record.kind &&
      other.container === record.container &&
      ![undefined, identity.name].includes(findReplicaSet(other)) &&
      isWellSince(other, all, scope.alertAt) &&
      !isAlike(symptom, other, scope),
  );
}

/** Whether a text has a phrase of a mechanism. */
export function hasWords(text: string, mechanism: Mechanism | undefined): boolean {
  const lower = text.toLowerCase();
  return (
    mechanism !== undefined &&
    listMechanismWords(mechanism).some((phrase) => lower.includes(phrase.toLowerCase()))
  );
}

/** The first mechanism of which a text has a phrase. */
export const mechanismIn = (text: string): Mechanism | undefined =>
  mechanismRows().find(({ mechanism }) => hasWords(text, mechanism))?.mechanism;

/** Whether a text has the last part of a component's name as a whole name; a hash can follow. */
export function namesComponent(text: string, component: string | undefined): boolean {
  const name = /[^/:]+$/.exec(component ?? '')?.[0];
  if (name === undefined) return false;
  const escaped = name.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_.-])${escaped}(?![\\p{L}\\p{N}_])`, 'iu').test(text);
}

/** Who wrote a text: the component in a log's arguments; else the tool's server with its object. */
export const identifyWriter = (tool: string, resource: string): string =>
  /log/i.test(tool) ? 'log' : `${tool} ${resource}`;
