// Writes a model's answer while it streams, for readers who watch the session. It never fails or delays an
// iteration: at most one write and one read run at a time, and a text that cannot be written is dropped.

import type { Progress } from '../../core/contract/llm.ts';
import type { Write } from '../../core/contract/store.ts';
import { errorMessage } from '../../core/errors.ts';
import type { RuntimeDeps } from '../../core/kernel/deps.ts';
import type { LiveAnswer } from '../../core/kernel/execution/context.ts';
import { RENEW_EVERY_MS as RENEW_LEASE_EVERY_MS } from '../../core/kernel/execution/lease.ts';
import type { LiveOptions } from '../../core/kernel/feature/feature.ts';
import { controlType, paths } from '../../core/schema/coreDocuments.ts';
import { type LiveText, liveTextType } from '../../kits/live/liveText.ts';
import { MAX_CHARACTERS, REST_FACTOR, SHOW_EVERY_MS, showStreamed } from '../../kits/live/shownEnd.ts';
import { LiveDocument } from './liveDocument.ts';

/** How long a written text is current. An unchanged text is written again after that time. */
const FRESH_MS = 30_000;
const RENEW_EVERY_MS = 10_000;
/** Delay before a failed write is retried. */
const RETRY_MS = 10_000;
/** How long the end of a function waits for a pending write. */
const CLOSE_MS = 5_000;

type LiveDeps = Pick<RuntimeDeps, 'store' | 'clock' | 'log'>;

/**
 * The live text of one iteration. It keeps the text and thinking of the model's answer, and writes them only
 * while the session is watched. Each renewal of the lease checks whether it is.
 */
export class LiveWriter implements LiveAnswer {
  readonly #options: LiveOptions;
  readonly #deps: LiveDeps;
  readonly #about: Pick<LiveText, 'sessionId' | 'executionId' | 'iteration' | 'expireAt'>;
  readonly #document: LiveDocument;
  readonly #received = { text: '', thinking: '' };
  #hasNews = false;
  /** Epoch milliseconds; 0 if no watch is known. */
  #watchedUntil: number;
  /** Whether a model call is running. */
  #isListening = false;
  #isReading = false;
  /** Epoch milliseconds before which nothing is written. */
  #nextAt = 0;
  #underWay: Promise<void> | undefined;
  #deleting: Promise<void> | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(options: LiveOptions, deps: LiveDeps) {
    const { held, watchedUntil, isTakeover } = options;
    const { sessionId, executionId, iteration, expireAt } = held.current();
    this.#options = options;
    this.#deps = deps;
    this.#about = { sessionId, executionId, iteration, expireAt };
    this.#watchedUntil = watchedUntil?.getTime() ?? 0;
    const mayExist = isTakeover && this.#isWatched(0);
    this.#document = new LiveDocument(liveTextType.paths.live(sessionId, executionId), mayExist, deps.store);
    held.onRenewal(() => this.#readControl());
  }

  listen(): (progress: Progress) => void {
    this.#isListening = true;
    return (progress) => this.#take(progress);
  }

  stop(): void {
    this.#isListening = false;
    this.#stopTimer?.();
    this.#forget();
  }

  deletion(): Write[] {
    return this.#document.deletion();
  }

  confirmDeletion(): void {
    this.#document.confirmDeletion();
    // A pending write can be stored after the deletion.
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

  #take(progress: Progress): void {
    if (!this.#isListening) return;
    if (progress.kind === 'attempt') this.#forget();
    else this.#received[progress.kind] += progress.delta;
    this.#hasNews = true;
    if (this.#received.text.length + this.#received.thinking.length > MAX_CHARACTERS) this.stop();
    else this.#tick();
  }

  #forget(): void {
    Object.assign(this.#received, { text: '', thinking: '' });
  }

  /** Whether the session will be watched `inMs` milliseconds from now, as far as is known. */
  #isWatched(inMs: number): boolean {
    return this.#now() + inMs < this.#watchedUntil;
  }

  /** Reads the control state, unless the known watch lasts until the next renewal. Never throws. */
  #readControl(): void {
    const { sessionId } = this.#about;
    const isIdle = !this.#isListening || this.#isReading || this.#options.held.signal.aborted;
    if (isIdle || this.#isWatched(RENEW_LEASE_EVERY_MS)) return;
    this.#isReading = true;
    this.#deps.store
      .get(paths.control(sessionId), controlType)
      .then((control) => {
        this.#watchedUntil = control?.value.watchedUntil?.getTime() ?? 0;
        this.#tick();
      })
      .catch((error: unknown) => this.#warn(error))
      .finally(() => {
        this.#isReading = false;
      });
  }

  /** Performs the work that is due, if any. Never throws. */
  #tick(): void {
    const now = this.#now();
    if (!this.#isListening || !this.#isWatched(0) || this.#options.held.signal.aborted) return;
    this.#stopTimer ??= this.#deps.clock.every(SHOW_EVERY_MS, () => this.#tick());
    const isBusy = this.#underWay !== undefined || now < this.#nextAt;
    if (!isBusy && (this.#hasNews || this.#isAging(now))) this.#show(now);
  }

  #show(startedAt: number): void {
    const isRenewal = this.#isAging(startedAt);
    this.#hasNews = false;
    try {
      const value = this.#shown();
      const mustWrite = isRenewal || !isSameLiveText(value, this.#document.value);
      const restMs = REST_FACTOR * (this.#now() - startedAt);
      this.#nextAt = this.#now() + Math.max(mustWrite ? SHOW_EVERY_MS : 0, restMs);
      if (mustWrite) this.#write(value);
    } catch (error) {
      // A text that cannot be masked is not shown.
      this.stop();
      this.#warn(error);
    }
  }

  /** Whether the written text will soon be outdated, so that it must be written again. */
  #isAging(now: number): boolean {
    const { value } = this.#document;
    return value !== undefined && value.freshUntil.getTime() - now <= FRESH_MS - RENEW_EVERY_MS;
  }

  #shown(): LiveText {
    const { masker, verbatim } = this.#options;
    return {
      ...this.#about,
      ...showStreamed(this.#received, masker),
      verbatim,
      freshUntil: new Date(this.#now() + FRESH_MS),
    };
  }

  #write(value: LiveText): void {
    this.#underWay = this.#document
      .write(value)
      .then(() => {
        this.#hasNews ||= this.#document.value === undefined;
      })
      .catch((error: unknown) => {
        this.#warn(error);
        this.#nextAt = this.#now() + RETRY_MS;
        this.#hasNews = true;
      })
      .finally(() => {
        this.#underWay = undefined;
      });
  }

  /** Deletes the document, once, after the pending write has ended. */
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

/** Whether the two values look the same to a reader. */
function isSameLiveText(value: LiveText, before: LiveText | undefined): boolean {
  if (before === undefined) return value.text === '' && value.thinking === '';
  return (
    value.text === before.text &&
    value.textStart === before.textStart &&
    value.thinking === before.thinking &&
    value.thinkingStart === before.thinkingStart
  );
}
