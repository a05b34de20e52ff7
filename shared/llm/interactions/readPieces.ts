// The pieces of text and thoughts that the events of an interaction bring, to show them as they come.

import type { Progress } from '../../core/contract/llm.ts';
import { asArray, asObject } from '../../text/json.ts';
import { listAnswerSteps } from './steps.ts';

/** A reader of one interaction: its steps are known from one event to the next. */
export function createPieceReader(): (event: unknown) => Progress[] {
  const open = new Set<unknown>();
  const pieces = (kind: 'text' | 'thinking', contents: unknown[]): Progress[] =>
    contents
      .map(asObject)
      .flatMap(({ text }) => (typeof text === 'string' && text !== '' ? [{ kind, delta: text }] : []));
  return (event) => {
    const { event_type: type, index, step, delta } = asObject(event);
    if (type === 'step.start') {
      open.delete(index);
      // The steps of the user are part of no answer.
      const [own] = listAnswerSteps([step]);
      if (own === undefined) return [];
      open.add(index);
      return [...pieces('text', asArray(own.content)), ...pieces('thinking', asArray(own.summary))];
    }
    if (type === 'step.stop') open.delete(index);
    if (type !== 'step.delta' || !open.has(index)) return [];
    const change = asObject(delta);
    if (change.type === 'text') return pieces('text', [change]);
    return change.type === 'thought_summary' ? pieces('thinking', [change.content]) : [];
  };
}
