// The stream of one question at Google, for all who watch its session in this process.

import type { ThoughtReader } from '../../contract/backgroundModel.ts';
import type { Masker } from '../../core/contract/guard.ts';
import type { Progress } from '../../core/contract/llm.ts';
import { errorMessage } from '../../core/errors.ts';
import type { AlertDeps } from '../../core/kernel/deps.ts';
import { paths } from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { sessionType } from '../../core/schema/session.ts';
import type { LiveText } from '../../kits/live/liveText.ts';
import { MAX_CHARACTERS, REST_FACTOR, SHOW_EVERY_MS, showStreamed } from '../../kits/live/shownEnd.ts';

/** A reader of live text. */
export type Show = (live: LiveText) => void;

/** The dependencies of streams. */
export interface StreamDeps extends Pick<AlertDeps, 'store' | 'clock' | 'log' | 'maskerFor'> {
  /** Streams questions at Google. */
  reader: ThoughtReader;
}

/** A question that is at Google. */
export interface OpenQuestion {
  /** The id at Google. */
  interactionId: string;
  /** The execution that asked. */
  execution: Execution;
}

/** Streams from the start until the last reader leaves, or the answer has ended. Never throws. */
export class ThoughtStream {
  readonly #question: OpenQuestion;
  readonly #deps: StreamDeps;
  readonly #readers = new Set<Show>();
  readonly #stop = new AbortController();
  readonly #streamed = { text: '', thinking: '' };
  #latest: LiveText | undefined;
  /** Epoch milliseconds before which nothing is shown. */
  #nextAt = 0;
  #cancelShow: (() => void) | undefined;

  constructor(question: OpenQuestion, deps: StreamDeps) {
    this.#question = question;
    this.#deps = deps;
    void this.#run();
  }

  /** Adds a reader, which gets the current text at once. */
  add(show: Show): void {
    this.#readers.add(show);
    if (this.#latest !== undefined) show(this.#latest);
  }

  /** Removes a reader. @returns whether it was the last one: the stream then has ended. */
  remove(show: Show): boolean {
    this.#readers.delete(show);
    if (this.#readers.size > 0) return false;
    this.#end();
    return true;
  }

  async #run(): Promise<void> {
    const { store, maskerFor, reader } = this.#deps;
    const { sessionId } = this.#question.execution;
    try {
      const session = await store.get(paths.session(sessionId), sessionType);
      if (session === undefined) return;
      const masker = maskerFor(session.value.maskKey);
      const take = (piece: Progress) => this.#take(piece, masker);
      await reader.follow(this.#question.interactionId, take, this.#stop.signal);
    } catch (error) {
      this.#warn(error);
    }
  }

  #take(piece: Progress, masker: Masker): void {
    if (piece.kind === 'attempt') Object.assign(this.#streamed, { text: '', thinking: '' });
    else this.#streamed[piece.kind] += piece.delta;
    const waitMs = this.#nextAt - this.#now();
    if (this.#streamed.text.length + this.#streamed.thinking.length > MAX_CHARACTERS) this.#end();
    else if (waitMs <= 0) this.#show(masker);
    else
      this.#cancelShow ??= this.#deps.clock.after(waitMs, () => {
        this.#cancelShow = undefined;
        this.#show(masker);
      });
  }

  #show(masker: Masker): void {
    const startedAt = this.#now();
    try {
      const shown = showStreamed(this.#streamed, masker);
      this.#nextAt = this.#now() + Math.max(SHOW_EVERY_MS, REST_FACTOR * (this.#now() - startedAt));
      if (shown.text === '' && shown.thinking === '' && this.#latest === undefined) return;
      const { sessionId, executionId, iteration, expireAt } = this.#question.execution;
      const about = { sessionId, executionId, iteration, freshUntil: expireAt, expireAt };
      // Whether a stored answer has it word for word is not known here.
      this.#latest = { ...about, ...shown, verbatim: false };
      for (const show of this.#readers) show(this.#latest);
    } catch (error) {
      // A text that cannot be masked is not shown.
      this.#warn(error);
      this.#end();
    }
  }

  #end(): void {
    this.#cancelShow?.();
    this.#stop.abort();
  }

  #now(): number {
    return this.#deps.clock.now().getTime();
  }

  #warn(error: unknown): void {
    if (this.#stop.signal.aborted) return;
    const { sessionId, executionId, iteration } = this.#question.execution;
    const text = `thoughts are not shown: ${errorMessage(error)}`;
    this.#deps.log.warn({ sessionId, executionId, iteration }, text);
  }
}
