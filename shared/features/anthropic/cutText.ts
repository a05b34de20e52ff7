// Cuts an answer that is sent in pieces: at a number of tokens, or before a text. Pure.

/** Why an answer is cut. */
export type Cut = { reason: 'max_tokens' } | { reason: 'stop_sequence'; sequence: string };

/** UTF-8 bytes that count as one token: the models of different providers count differently. */
const TOKEN_BYTES = 4;

/** Passes pieces on until the answer is cut. The possible start of a stop sequence waits. */
export class TextCut {
  readonly #sequences: readonly string[];
  readonly #longest: number;
  #bytesLeft: number;
  #held = '';
  /** Why the answer is cut; undefined while it is not. */
  cut: Cut | undefined;

  constructor({
    max_tokens: max,
    stop_sequences: sequences,
  }: { max_tokens: number; stop_sequences?: string[] | null | undefined }) {
    this.#sequences = sequences ?? [];
    this.#longest = Math.max(0, ...this.#sequences.map(({ length }) => length));
    this.#bytesLeft = max * TOKEN_BYTES;
  }

  /** The text to send after a piece; can be empty. */
  take(piece: string): string {
    if (this.cut !== undefined) return '';
    const text = this.#held + piece;
    const found = this.#sequences
      .map((sequence) => ({ sequence, at: text.indexOf(sequence) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at)[0];
    if (found !== undefined) {
      this.#held = '';
      const sent = this.#limit(text.slice(0, found.at));
      this.cut ??= { reason: 'stop_sequence', sequence: found.sequence };
      return sent;
    }
    const end = this.#startOfSequence(text);
    this.#held = text.slice(end);
    return this.#limit(text.slice(0, end));
  }

  /** The text that waited, at the end of the answer. */
  end(): string {
    const held = this.#held;
    this.#held = '';
    return this.cut === undefined ? this.#limit(held) : '';
  }

  /** Where the longest end begins that can be the start of a stop sequence; the length without one. */
  #startOfSequence(text: string): number {
    for (let at = Math.max(0, text.length - this.#longest + 1); at < text.length; at++)
      if (this.#sequences.some((sequence) => sequence.startsWith(text.slice(at)))) return at;
    return text.length;
  }

  /** The part of a text that the limit leaves, in whole characters. */
  #limit(text: string): string {
    const bytes = Buffer.byteLength(text);
    if (bytes <= this.#bytesLeft) {
      this.#bytesLeft -= bytes;
      return text;
    }
    this.cut = { reason: 'max_tokens' };
    let end = 0;
    for (const character of text) {
      this.#bytesLeft -= Buffer.byteLength(character);
      if (this.#bytesLeft < 0) break;
      end += character.length;
    }
    return text.slice(0, end);
  }
}
