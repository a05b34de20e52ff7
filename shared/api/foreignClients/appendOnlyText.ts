// Splits texts into pieces for clients that only append: live output first, then the stored text. Pure.

import type { LiveText } from '../../kits/live/liveText.ts';

/** The words after output without stored text: the model was asked again, or the output had a secret. */
export const WITHDRAWN_NOTE = '[The words above are withdrawn.]';
const WITHDRAWN = `\n\n${WITHDRAWN_NOTE}\n\n`;

/** The texts of all agents of an answer. */
interface SentTexts {
  /** Whether any text was sent. */
  hasText: boolean;
  /** Stored texts that were sent; none is sent twice. */
  stored: Set<string>;
}

/** Computes the pieces to append for one agent, so that the sent text ends with the last stored text. */
export class OutputPieces {
  /** The sent part of a text that is not stored yet, and its iteration. */
  #sent = '';
  #iteration = 0;
  /** Whether the live output no longer continues the sent part. The stored text then decides. */
  #isDoubtful = false;
  #storedUpTo = 0;
  readonly #sentTexts: SentTexts;

  /** @param sent the texts of all agents of the same answer. Default: this agent is the only one. */
  constructor(sent: SentTexts = { hasText: false, stored: new Set() }) {
    this.#sentTexts = sent;
  }

  /** The piece for a model's current output; can be empty. Output that changes when stored waits. */
  ofLive({ iteration, text, textStart, verbatim }: LiveText): string {
    if (!verbatim || iteration <= this.#storedUpTo) return '';
    const withdrawn = iteration === this.#iteration ? '' : this.#withdraw();
    this.#iteration = iteration;
    const known = this.#sent.slice(textStart);
    this.#isDoubtful ||= !text.startsWith(known);
    if (this.#isDoubtful || textStart > this.#sent.length) return withdrawn;
    const whole = this.#sent + text.slice(known.length);
    // The output can become a text that was sent before, which is not repeated.
    if ([...this.#sentTexts.stored].some((before) => before.startsWith(whole))) return withdrawn;
    const delta = whole.slice(this.#sent.length);
    const piece = this.#sent === '' ? this.#separated(delta, withdrawn) : delta;
    this.#sent = whole;
    return withdrawn + piece;
  }

  /** The piece for a stored text; empty for a text that was sent before. */
  ofStored(content: string, iteration: number | null): string {
    const isContinued = iteration === this.#iteration && this.#sent !== '' && content.startsWith(this.#sent);
    const rest = content.slice(this.#sent.length);
    const isRepeated = this.#sentTexts.stored.has(content);
    this.#storedUpTo = Math.max(this.#storedUpTo, iteration ?? 0);
    this.#sentTexts.stored.add(content);
    if (isContinued) {
      this.#sent = '';
      return rest;
    }
    const withdrawn = this.#withdraw();
    return isRepeated && withdrawn === '' ? '' : withdrawn + this.#separated(content, withdrawn);
  }

  /** The piece for output that is not continued. */
  abandon(): string {
    return this.#withdraw();
  }

  #withdraw(): string {
    const isWithdrawn = this.#sent !== '';
    this.#sent = '';
    this.#isDoubtful = false;
    return isWithdrawn ? WITHDRAWN : '';
  }

  #separated(text: string, withdrawn: string): string {
    if (text === '') return '';
    const separator = this.#sentTexts.hasText && withdrawn === '' ? '\n\n' : '';
    this.#sentTexts.hasText = true;
    return separator + text;
  }
}
