// The texts of an answer in pieces, for who can only append: what its model says, as it comes, and then what is stored. Pure.

import type { LiveText } from '../../schema/liveText.ts';

/** Stands behind words that belong to no stored text: the model was asked again, or a secret was found in them. */
const WITHDRAWN = '\n\n[The words above are withdrawn.]\n\n';

/** What all agents of an answer have said. */
interface SaidTexts {
  hasText: boolean;
  /** Texts that are stored: none is said twice. */
  stored: Set<string>;
}

/** Says what is to be appended, so that all ends with the text that is stored last. */
export class SpokenText {
  /** What was sent of a text that is not stored yet, and its iteration. */
  #sent = '';
  #iteration = 0;
  /** Whether the model says something else by now: the stored text decides. */
  #isDoubtful = false;
  #storedUpTo = 0;
  readonly #said: SaidTexts;

  /** @param said of all agents whose texts are appended to the same answer. Default: this is the only one. */
  constructor(said: SaidTexts = { hasText: false, stored: new Set() }) {
    this.#said = said;
  }

  /** What to append for what a model says by now; empty for nothing. Words that are made into something else wait. */
  ofLive({ iteration, text, textStart, verbatim }: LiveText): string {
    if (!verbatim || iteration <= this.#storedUpTo) return '';
    const withdrawn = iteration === this.#iteration ? '' : this.#withdraw();
    this.#iteration = iteration;
    const known = this.#sent.slice(textStart);
    this.#isDoubtful ||= !text.startsWith(known);
    if (this.#isDoubtful || textStart > this.#sent.length) return withdrawn;
    const whole = this.#sent + text.slice(known.length);
    // It may be what was said before, which is not repeated.
    if ([...this.#said.stored].some((before) => before.startsWith(whole))) return withdrawn;
    const delta = whole.slice(this.#sent.length);
    const piece = this.#sent === '' ? this.#separated(delta, withdrawn) : delta;
    this.#sent = whole;
    return withdrawn + piece;
  }

  /** What to append for a text that is stored; empty for one that was said before. */
  ofStored(content: string, iteration: number | null): string {
    const isSaid = iteration === this.#iteration && this.#sent !== '' && content.startsWith(this.#sent);
    const rest = content.slice(this.#sent.length);
    const isRepeated = this.#said.stored.has(content);
    this.#storedUpTo = Math.max(this.#storedUpTo, iteration ?? 0);
    this.#said.stored.add(content);
    if (isSaid) {
      this.#sent = '';
      return rest;
    }
    const withdrawn = this.#withdraw();
    return isRepeated && withdrawn === '' ? '' : withdrawn + this.#separated(content, withdrawn);
  }

  /** What to append where nothing more comes of what is said. */
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
    const separator = this.#said.hasText && withdrawn === '' ? '\n\n' : '';
    this.#said.hasText = true;
    return separator + text;
  }
}
