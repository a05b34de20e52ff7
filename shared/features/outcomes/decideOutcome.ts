// Decides a session's outcome from checks of its probes, recorded actions and its source's reports. Pure.

import { isNamedAction } from '../../evidence/probe.ts';
import type { Outcome, OutcomeCheck, OutcomeValue, Probe } from '../../kits/alerts/outcome.ts';
import { quoteText } from '../../text/cut.ts';

/** A change that a person recorded, or an approved call of an agent. */
export interface RecordedAction {
  text: string;
  by: string;
  at: Date;
}

interface OutcomeFacts {
  probes: readonly Probe[];
  /** Those that have ended, oldest first; the latest decides. */
  checks: readonly OutcomeCheck[];
  actions: readonly RecordedAction[];
  /** Whether the source resolved the alert and reported it again afterwards. */
  isFiringAgain: boolean;
  /** The component of the cause; undefined where none is named. */
  component: string | undefined;
}

const MAX_ACTION = 200;

/** The outcome after the latest check, with its reason. The first rule that fits decides. */
export function decideOutcome(
  facts: OutcomeFacts,
  before: Pick<Outcome, 'value' | 'reason'>,
): { value: OutcomeValue; reason: string } {
  const { probes, checks, isFiringAgain } = facts;
  const latest = checks.at(-1)?.results ?? [];
  const named = (holds: boolean) =>
    probes.filter((_, index) => latest[index]?.holds === holds).map(({ id }) => id);
  const [over, open] = [named(true), named(false)];
  if (over.length + open.length === 0) {
    if (before.value !== null && before.value !== 'unknown' && before.reason !== null)
      return { value: before.value, reason: before.reason };
    return {
      value: 'unknown',
      reason: latest.find(({ why }) => why !== null)?.why ?? 'No probe was answered.',
    };
  }
  if (open.length > 0) {
    const wasOver = checks.slice(0, -1).some(({ results }) => isOver(results));
    if (wasOver) return { value: 'recurred', reason: `${listed(open)} again as during the problem.` };
    return { value: 'unknown', reason: `${listed(open)} still as during the problem.` };
  }
  if (isFiringAgain) return { value: 'recurred', reason: 'Its source reports the alert again.' };
  return decideCause(facts, over);
}

const isOver = (results: OutcomeCheck['results']): boolean =>
  results.some(({ holds }) => holds === true) && results.every(({ holds }) => holds !== false);

const listed = (ids: readonly string[]): string => `${ids.join(', ')} ${ids.length === 1 ? 'is' : 'are'}`;

function decideCause({ probes, checks, actions, component }: OutcomeFacts, over: readonly string[]) {
  const at = checks.at(-1)?.startedAt ?? new Date(0);
  const earlier = actions.filter((action) => action.at < at);
  const proposed = probes.filter(({ id }) => over.includes(id)).flatMap(({ action }) => action ?? []);
  const held = earlier.find(({ text }) => proposed.some((one) => isNamedAction(one, text, component)));
  const changed = `${over.join(', ')} changed as stated`;
  const quoted = ({ text, by }: RecordedAction) => `"${quoteText(text, MAX_ACTION)}" of ${by}`;
  if (held !== undefined)
    return { value: 'held' as const, reason: `${changed} after the action ${quoted(held)}.` };
  const [other] = earlier.slice(-1);
  if (other === undefined)
    return { value: 'self_resolved' as const, reason: `${changed} without a recorded action.` };
  return {
    value: 'overridden' as const,
    reason: `${changed} after an action that the analysis did not name: ${quoted(other)}.`,
  };
}
