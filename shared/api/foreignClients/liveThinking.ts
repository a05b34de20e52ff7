// Thoughts of models while they stream: clients get each once, before the text that follows. Pure.

import type { TimelineEvent } from '../../core/schema/timelineEvent.ts';
import type { LiveText } from '../../kits/live/liveText.ts';

/** The thoughts of one iteration so far. */
interface Thoughts {
  iteration: number;
  text: string;
  /** The part that was sent before the text; undefined before that, and after it is stored. */
  sent: string | undefined;
  /** Whether text followed: further thoughts wait until they are stored. */
  isOver: boolean;
}

/** Computes the thoughts to send for each agent of an answer. */
export class LiveThinking {
  readonly #thoughts = new Map<string, Thoughts>();

  /** Adds the current output of a model. */
  add({ executionId, iteration, thinking, thinkingStart }: LiveText): void {
    const known = this.#thoughts.get(executionId);
    const isSame = known?.iteration === iteration;
    const before = isSame ? known.text : '';
    // The output has only the end of long thoughts. A part between is missing if this reader was slow.
    const start = thinkingStart <= before.length ? before.slice(0, thinkingStart) : `${before}…`;
    const { sent, isOver } = isSame ? known : { sent: undefined, isOver: false };
    this.#thoughts.set(executionId, { iteration, text: start + thinking, sent, isOver });
  }

  /** The thoughts to send before the first text of an iteration; empty without any. */
  takeLive({ executionId, iteration }: LiveText): string {
    const known = this.#thoughts.get(executionId);
    if (known === undefined || known.iteration !== iteration || known.isOver) return '';
    known.isOver = true;
    known.sent = known.text === '' ? undefined : known.text;
    return known.text;
  }

  /** The unsent part of a stored thought; all of one that differs, given after a repeated request. */
  takeStored({
    executionId,
    iteration,
    content,
  }: Pick<TimelineEvent, 'executionId' | 'iteration' | 'content'>): string {
    const known = this.#thoughts.get(executionId ?? '');
    const sent = known?.iteration === iteration ? known?.sent : undefined;
    if (known !== undefined) known.sent = undefined;
    return sent !== undefined && content.startsWith(sent) ? content.slice(sent.length) : content;
  }
}
