// The finding by rule: the one mechanism with contrast of the alert's component in collected results. Pure.

import { locateAlert } from '../../alerts/resource.ts';
import { readSessionAlert } from '../../alerts/schema/alert.ts';
import type { Session } from '../../core/schema/session.ts';
import { type Contrast, type ContrastScope, decideContrast, type Speaking } from '../../evidence/contrast.ts';
import { leadsTo } from '../../evidence/mechanisms.ts';
import type { Mechanism } from '../../evidence/schema/mechanism.ts';
import { findBestChange, findMatchingStates, isSupport } from '../../evidence/supports.ts';
import type { CitableResult } from '../../kits/claims/citableResults.ts';
import type { ReadClaims } from '../../kits/claims/readClaims.ts';
import { contrastScope } from '../../kits/claims/verdictFacts.ts';
import { isCollected } from '../../schema/collected.ts';
import { CHANGES, MECHANISMS } from '../../text/mechanisms.ts';

/** Characters of a line. */
const MAX_LINE = 300;

/** A mechanism that code found without a model. */
export interface RuleFinding {
  /** A canonical resource. */
  component: string;
  mechanism: Mechanism;
  state: Speaking;
  contrast: Contrast;
  /** The result that has the state, and its lines. */
  source: CitableResult;
  lines: readonly string[];
}

/** The finding of the rules, and the states of other mechanisms that calls for contrast can decide. */
interface RuleReading {
  finding?: RuleFinding;
  open: readonly Speaking[];
  scope: ContrastScope;
}

/**
 * Runs the rules over collected results.
 * @param read results of other calls do not count. Those of one agent, or of all.
 * @returns undefined where the alert names no component.
 */
export function findByRule(
  session: Session,
  read: Pick<ReadClaims, 'combined' | 'window' | 'contrasts'>,
): RuleReading | undefined {
  const alert = readSessionAlert(session);
  const component = alert === null ? null : locateAlert(alert).resource;
  if (component === null) return undefined;
  const results = read.combined.results.filter(({ callId, isError }) => isCollected(callId) && !isError);
  const scope = contrastScope(session, { ...read, combined: { ...read.combined, results } });
  const states = findMatchingStates({ component }, scope)
    .filter(isSupport)
    .map((state) => ({ state, contrast: decideContrast(state, scope) }));
  const changes = MECHANISMS.flatMap((mechanism) => {
    const found = findBestChange({ component, mechanism }, scope);
    return found?.things === 3
      ? [{ state: found.change, contrast: { state: 'shown', by: 'moment' } as const }]
      : [];
  });
  const shown = [...changes, ...states.filter(({ contrast }) => contrast.state === 'shown')];
  // An effect is that of the same container, where both name one.
  const isEffect = ({ row, record }: Speaking): boolean =>
    shown.some(
      ({ state: from }) =>
        from.row.mechanism !== row.mechanism &&
        leadsTo(from.row.mechanism, row.mechanism) &&
        (from.record.container ?? record.container) === (record.container ?? from.record.container),
    );
  const causes = shown.filter(({ state }) => !isEffect(state));
  const [mechanism, ...others] = new Set(causes.map(({ state }) => state.row.mechanism));
  const [found] = causes;
  const source = results.find(({ id }) => id === found?.state.record.result);
  const open = states.flatMap(({ state, contrast }) =>
    contrast.state === 'open' && !shown.some((one) => one.state.row.mechanism === state.row.mechanism)
      ? [state]
      : [],
  );
  // Of a change, only its three things count.
  const isState = found !== undefined && isSupport(found.state);
  const isUnproved = CHANGES.has(mechanism) && isState;
  if (mechanism === undefined || others.length > 0 || isUnproved || found === undefined || !source)
    return { open, scope };
  const finding = {
    component,
    mechanism,
    ...found,
    source,
    lines: quoteStateLines(found.state, source.text),
  };
  return { finding, open, scope };
}

/** The lines with the fields of a state; of a long line the part around the field. */
function quoteStateLines({ record: { series }, match: { fields } }: Speaking, text: string): string[] {
  // The samples of a series stand in one line.
  const named = series === undefined ? fields : fields.slice(-1);
  const lines = named.map(({ start, end }) => {
    const from = text.lastIndexOf('\n', start) + 1;
    const line = text.slice(from).split('\n', 1)[0] ?? '';
    return (line.length <= MAX_LINE ? line : text.slice(Math.max(from, start - MAX_LINE / 2), end)).trim();
  });
  return [...new Set(lines)];
}
