// An answer as blocks of text and of thoughts, one after another, as several wires have it. Pure.

import type { Citation, TimelineEvent } from '../../core/schema/timelineEvent.ts';
import type { LiveText } from '../../kits/live/liveText.ts';
import { AnswerSequence } from './answerSequence.ts';

/** The kind of a block. */
export type BlockKind = 'text' | 'thinking';

/** A block, by its position in the answer, with its text so far. */
export interface AnswerBlock {
  /** What it contains. */
  kind: BlockKind;
  /** Its position, from 0. */
  index: number;
  /** The text that was sent. */
  text: string;
}

/** Converts blocks into what a wire sends. */
interface BlockForm<S> {
  begin(block: AnswerBlock): S[];
  /** A piece, never empty; the text of the block contains it already. */
  delta(block: AnswerBlock, piece: string): S[];
  /** The sources of the text of a block. */
  cite(block: AnswerBlock, citations: readonly Citation[]): S[];
  end(block: AnswerBlock): S[];
}

/** Shortens the text of an answer. */
interface Cutter {
  /** The text to send after a piece; can be empty. */
  take(piece: string): string;
  /** The text that waited, at the end of a block. */
  end(): string;
  /** Defined once the answer is cut. */
  cut: object | undefined;
}

const NO_CUTTER: Cutter = { take: (piece) => piece, end: () => '', cut: undefined };

interface BlockOptions {
  /** The execution that answers. Agents that it asks are left out. */
  executionId: string;
  /** Whether a structured answer is sent as JSON instead of text. Default: as text. */
  asJson?: boolean;
  /** Default: nothing is cut. */
  cutter?: Cutter;
}

/** Writes the blocks of an answer. Calls of tools end a block; nothing is sent of them. */
export class AnswerBlocks<S> {
  readonly #form: BlockForm<S>;
  readonly #executionId: string;
  readonly #cutter: Cutter;
  readonly #sequence: AnswerSequence<S>;
  #open: AnswerBlock | undefined;
  /** How many blocks were begun. */
  count = 0;
  /** Whether the model's own limit cut the answer. */
  isTruncated = false;

  constructor(form: BlockForm<S>, { executionId, asJson = false, cutter = NO_CUTTER }: BlockOptions) {
    this.#form = form;
    this.#executionId = executionId;
    this.#cutter = cutter;
    const none = (): S[] => [];
    const thought = (content: string) =>
      cutter.cut === undefined ? [...this.#flush(), ...this.#write('thinking', content)] : [];
    const text = (piece: string) => this.#write('text', cutter.take(piece));
    const parts = { text, thought, call: () => this.close(), result: none, action: none, structured: none };
    this.#sequence = new AnswerSequence<S>(parts, { executionId, asJson });
  }

  /** The parts for an event of the timeline. */
  of(event: TimelineEvent): S[] {
    if (event.executionId !== this.#executionId) return [];
    if (event.eventType === 'google_search_result')
      return [
        ...this.close(),
        ...this.#write('text', this.#cutter.take(retellSearch(event))),
        ...this.close(),
      ];
    const sent = this.#sequence.of(event);
    if (event.eventType !== 'final_analysis') return sent;
    const { truncated, citations } = event.metadata;
    this.isTruncated = truncated === true;
    const rest = [...sent, ...this.#flush()];
    const isWhole = this.#cutter.cut === undefined && this.#open?.kind === 'text' && citations.length > 0;
    return isWhole && this.#open ? [...rest, ...this.#form.cite(this.#open, citations)] : rest;
  }

  /** The parts for the current output of a model. */
  ofLive(live: LiveText): S[] {
    return live.executionId === this.#executionId ? this.#sequence.ofLive(live) : [];
  }

  /** The parts at the end of an answer. */
  end(): S[] {
    return [...this.#sequence.end(), ...this.close()];
  }

  /** Ends the open block. */
  close(): S[] {
    const rest = this.#flush();
    if (this.#open === undefined) return rest;
    const ended = this.#form.end(this.#open);
    this.#open = undefined;
    return [...rest, ...ended];
  }

  #flush(): S[] {
    return this.#write('text', this.#cutter.end());
  }

  #write(kind: BlockKind, piece: string): S[] {
    const continued = this.#open?.kind === kind ? this.#open : undefined;
    const shown = continued ? piece : piece.replace(/^\n+/, '');
    if (shown === '') return [];
    const closed = continued || this.#open === undefined ? [] : this.#form.end(this.#open);
    const block = continued ?? { kind, index: this.count++, text: '' };
    const begun = continued ? [] : this.#form.begin(block);
    this.#open = block;
    block.text += shown;
    return [...closed, ...begun, ...this.#form.delta(block, shown)];
  }
}

/** The words for a search that the provider of the model made. */
export function retellSearch(event: Extract<TimelineEvent, { eventType: 'google_search_result' }>): string {
  const { queries, sources } = event.metadata;
  const pages = sources.map(({ title, uri }) => [title, uri].filter((one) => one !== '').join(' '));
  return `[Searched the web for: ${queries.join('; ')}. Found: ${pages.join('; ') || 'nothing'}.]`;
}
