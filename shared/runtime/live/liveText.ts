// Writes what a model says while it speaks, for readers who watch its session. It fails and delays no iteration: one write
// at a time is under way beside it, and what cannot be written is dropped.

import type { Progress } from '../../contract/llm.ts';
import type { Write } from '../../contract/store.ts';
import { errorMessage } from '../../errors.ts';
import type { Masker } from '../../masking/masker.ts';
import { controlType, paths } from '../../schema/documents.ts';
import type { LiveText } from '../../schema/liveText.ts';
import type { RuntimeDeps } from '../deps.ts';
import type { HeldExecution } from '../iteration/lease.ts';
import { LiveDocument } from './liveDocument.ts';
import { shownEnd } from './shownEnd.ts';

/** Two writes a second at most. */
const WRITE_EVERY_MS = 500;
/** Between two writes it waits for ten times as long as masking took: 100 kB take some 40 ms. */
const REST_FACTOR = 10;
/** How long what is written counts, and after how long without news it is written again. */
const FRESH_MS = 30_000;
const RENEW_EVERY_MS = 10_000;
/** After how long a write is tried again that has failed. */
const RETRY_MS = 10_000;
/** Of a longer answer nothing more is shown. */
const MAX_CHARACTERS = 200_000;
/** How long the end of a function waits for a write. */
const CLOSE_MS = 5_000;

/** What a model says while it speaks, as a document. */
export interface LiveWriter {
  /** Takes what the model says; undefined while the session is not watched. */
  readonly onProgress: ((progress: Progress) => void) | undefined;
  /** Stops writing: the model has spoken. */
  stop(): void;
  /** What the commit of the answer, or of its failure, has to write so that nothing of it is left. */
  deletion(): Write[];
  /** That commit is stored. */
  confirmDeletion(): void;
  /** Waits for what is under way, and deletes what no commit has deleted. Never fails; takes 5 s at most. */
  close(): Promise<void>;
}

/** The writer of a session that is not watched: it writes nothing, and reads nothing. */
const UNWATCHED: LiveWriter = {
  onProgress: undefined,
  stop() {},
  deletion: () => [],
  confirmDeletion() {},
  close: () => Promise.resolve(),
};

/** What is known of an iteration before its model is asked. */
interface LiveOptions {
  held: Pick<HeldExecution, 'current' | 'signal'>;
  masker: Masker;
  /** Whether the text is stored word for word. */
  verbatim: boolean;
  /** From the control state, as it was loaded. */
  watchedUntil: Date | null;
  /** Whether another holder may have left a document. */
  isTakeover: boolean;
}

type LiveDeps = Pick<RuntimeDeps, 'store' | 'clock' | 'log'>;

/** The writer of one iteration. */
export function createLiveWriter(options: LiveOptions, deps: LiveDeps): LiveWriter {
  const { watchedUntil } = options;
  if (watchedUntil === null || watchedUntil <= deps.clock.now()) return UNWATCHED;
  return new WatchedWriter({ ...options, watchedUntil }, deps);
}

/** The writer of a session that is watched. */
class WatchedWriter implements LiveWriter {
  readonly #options: LiveOptions;
  readonly #deps: LiveDeps;
  readonly #about: Pick<LiveText, 'sessionId' | 'executionId' | 'iteration' | 'expireAt'>;
  readonly #document: LiveDocument;
  readonly #said = { text: '', thinking: '' };
  #hasNews = false;
  #watchedUntil: Date;
  #isOver = false;
  /** Epoch milliseconds before which nothing is written. */
  #nextAt = 0;
  #underWay: Promise<void> | undefined;
  #deleting: Promise<void> | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(options: LiveOptions & { watchedUntil: Date }, deps: LiveDeps) {
    const { sessionId, executionId, iteration, expireAt } = options.held.current();
    this.#options = options;
    this.#deps = deps;
    this.#about = { sessionId, executionId, iteration, expireAt };
    this.#watchedUntil = options.watchedUntil;
    this.#document = new LiveDocument(paths.live(sessionId, executionId), options.isTakeover, deps.store);
  }

  readonly onProgress = (progress: Progress): void => {
    if (this.#isOver) return;
    if (progress.kind === 'attempt') Object.assign(this.#said, { text: '', thinking: '' });
    else this.#said[progress.kind] += progress.delta;
    this.#hasNews = true;
    this.#stopTimer ??= this.#deps.clock.every(WRITE_EVERY_MS, () => this.#tick());
    this.#tick();
  };

  stop(): void {
    this.#isOver = true;
    this.#stopTimer?.();
  }

  deletion(): Write[] {
    return this.#document.deletion();
  }

  confirmDeletion(): void {
    this.#document.confirmDeletion();
    // What is under way may be stored behind the deletion.
    if (this.#underWay !== undefined) this.#deleteLater();
  }

  async close(): Promise<void> {
    this.stop();
    if (this.#document.mayBeLeft) this.#deleteLater();
    if (this.#deleting === undefined) return;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.#deps.clock.after(CLOSE_MS, resolve);
    await Promise.race([this.#deleting, late]);
    cancel();
  }

  /** Does what is due, if anything is. Never throws. */
  #tick(): void {
    const now = this.#now();
    const isBusy = this.#underWay !== undefined || now < this.#nextAt;
    if (this.#isOver || isBusy || this.#options.held.signal.aborted) return;
    if (this.#said.text.length + this.#said.thinking.length > MAX_CHARACTERS) this.stop();
    else if (now >= this.#watchedUntil.getTime()) this.#begin(() => this.#readWatch());
    else if (this.#hasNews || this.#isAging(now)) this.#show(now);
  }

  #show(startedAt: number): void {
    const isRenewal = this.#isAging(startedAt);
    this.#hasNews = false;
    try {
      const value = this.#shown();
      const mustWrite = isRenewal || !isSame(value, this.#document.value);
      const restMs = REST_FACTOR * (this.#now() - startedAt);
      this.#nextAt = this.#now() + Math.max(mustWrite ? WRITE_EVERY_MS : 0, restMs);
      if (mustWrite) this.#begin(() => this.#write(value));
    } catch (error) {
      // What cannot be masked is not shown.
      this.stop();
      this.#warn(error);
    }
  }

  /** Whether what is written counts only for so long that it has to be written again. */
  #isAging(now: number): boolean {
    const { value } = this.#document;
    return value !== undefined && value.freshUntil.getTime() - now <= FRESH_MS - RENEW_EVERY_MS;
  }

  #shown(): LiveText {
    const { masker, verbatim } = this.#options;
    const text = shownEnd(this.#said.text, masker);
    const thinking = shownEnd(this.#said.thinking, masker);
    return {
      ...this.#about,
      text: text.text,
      textStart: text.start,
      thinking: thinking.text,
      thinkingStart: thinking.start,
      verbatim,
      freshUntil: new Date(this.#now() + FRESH_MS),
    };
  }

  async #write(value: LiveText): Promise<void> {
    await this.#document.write(value);
    this.#hasNews ||= this.#document.value === undefined;
  }

  async #readWatch(): Promise<void> {
    const control = await this.#deps.store.get(paths.control(this.#about.sessionId), controlType);
    const renewed = control?.value.watchedUntil ?? null;
    if (renewed === null || renewed <= this.#deps.clock.now()) this.stop();
    else this.#watchedUntil = renewed;
  }

  #begin(work: () => Promise<void>): void {
    this.#underWay = work()
      .catch((error: unknown) => {
        this.#warn(error);
        this.#nextAt = this.#now() + RETRY_MS;
        this.#hasNews = true;
      })
      .finally(() => {
        this.#underWay = undefined;
      });
  }

  /** Deletes the document, once, when the write that is under way has ended. */
  #deleteLater(): void {
    this.#deleting ??= (async () => {
      await this.#underWay;
      await this.#document.delete();
    })().catch((error: unknown) => this.#warn(error));
  }

  #now(): number {
    return this.#deps.clock.now().getTime();
  }

  #warn(error: unknown): void {
    const { sessionId, executionId, iteration } = this.#about;
    this.#deps.log.warn(
      { sessionId, executionId, iteration },
      `live text is not written: ${errorMessage(error)}`,
    );
  }
}

/** Whether a reader would see no difference. */
function isSame(value: LiveText, before: LiveText | undefined): boolean {
  if (before === undefined) return value.text === '' && value.thinking === '';
  return (
    value.text === before.text &&
    value.textStart === before.textStart &&
    value.thinking === before.thinking &&
    value.thinkingStart === before.thinkingStart
  );
}
