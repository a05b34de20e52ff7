// Mutants of live text and watches.

import type { UnitMutant } from '../unitMutant.ts';

const LIVE = 'shared/features/live/liveText.test.ts';
const WATCH = 'shared/kits/live/renewWatch.test.ts';

/** The mutants, by what is broken. */
export const LIVE_MUTANTS: Record<string, UnitMutant> = {
  'the text of a failed attempt is shown with that of the next one': {
    file: 'features/live/liveText.ts',
    text: "if (progress.kind === 'attempt') this.#forget();",
    by: "if (progress.kind === 'attempt') return;",
    test: LIVE,
  },
  'live text is written for an execution that was lost': {
    file: 'features/live/liveText.ts',
    text: 'if (!this.#isListening || !this.#isWatched(0) || this.#options.held.signal.aborted) return;',
    by: 'if (!this.#isListening || !this.#isWatched(0)) return;',
    test: LIVE,
  },
  'a write that was under way brings live text back': {
    file: 'features/live/liveText.ts',
    text: 'if (this.#underWay !== undefined) this.#deleteLater();',
    by: '',
    test: LIVE,
  },
  'live text that no commit has deleted stays': {
    file: 'features/live/liveText.ts',
    text: 'if (this.#document.mayBeLeft) this.#deleteLater();',
    by: '',
    test: LIVE,
  },
  'the end of a function waits for a store that hangs': {
    file: 'features/live/liveText.ts',
    text: 'const cancel = this.#deps.clock.after(CLOSE_MS, resolve);',
    by: 'const cancel = () => resolve;',
    test: LIVE,
  },
  'live text of an endless answer is written without end': {
    file: 'features/live/liveText.ts',
    text: '> MAX_CHARACTERS) this.stop();',
    by: '> 1e12) this.stop();',
    test: LIVE,
  },
  'live text is written after the watch has ended': {
    file: 'features/live/liveText.ts',
    text: '|| !this.#isWatched(0) ||',
    by: '|| this.#watchedUntil === 0 ||',
    test: LIVE,
  },
  'who comes in the middle of an answer sees nothing of it': {
    file: 'features/live/liveText.ts',
    text: 'held.onRenewal(() => this.#readControl());',
    by: '',
    test: LIVE,
  },
  'a watch that is known is read at each renewal': {
    file: 'features/live/liveText.ts',
    text: 'if (isIdle || this.#isWatched(RENEW_LEASE_EVERY_MS)) return;',
    by: 'if (isIdle) return;',
    test: LIVE,
  },
  'a watch is found only when it has ended for a while': {
    file: 'features/live/liveText.ts',
    text: 'if (isIdle || this.#isWatched(RENEW_LEASE_EVERY_MS)) return;',
    by: 'if (isIdle || this.#isWatched(0)) return;',
    test: LIVE,
  },
  'the watch is read although the model is not asked': {
    file: 'features/live/liveText.ts',
    text: 'const isIdle = !this.#isListening || this.#isReading',
    by: 'const isIdle = this.#isReading',
    test: LIVE,
  },
  'several reads of a watch are under way at once': {
    file: 'features/live/liveText.ts',
    text: 'const isIdle = !this.#isListening || this.#isReading',
    by: 'const isIdle = !this.#isListening',
    test: LIVE,
  },
  'live text that cannot be masked is tried again': {
    file: 'features/live/liveText.ts',
    text: `      // A text that cannot be masked is not shown.
      this.stop();`,
    by: '',
    test: LIVE,
  },
  'several writes of live text are under way at once': {
    file: 'features/live/liveText.ts',
    text: 'const isBusy = this.#underWay !== undefined || now < this.#nextAt;',
    by: 'const isBusy = now < this.#nextAt;',
    test: LIVE,
  },
  'live text is written at each word': {
    file: 'features/live/liveText.ts',
    text: 'const isBusy = this.#underWay !== undefined || now < this.#nextAt;',
    by: 'const isBusy = this.#underWay !== undefined;',
    test: LIVE,
  },
  'live text that was refused is not written again': {
    file: 'features/live/liveText.ts',
    text: 'this.#hasNews ||= this.#document.value === undefined;',
    by: '',
    test: LIVE,
  },
  'live text is written again at once where the store fails': {
    file: 'features/live/liveText.ts',
    text: 'this.#nextAt = this.#now() + RETRY_MS;',
    by: '',
    test: LIVE,
  },
  'live text of an earlier holder stays': {
    file: 'features/live/liveDocument.ts',
    text: 'return this.#mayExist ? [deleteDocument(this.#path, liveTextType)] : [];',
    by: 'return this.#written !== undefined ? [deleteDocument(this.#path, liveTextType)] : [];',
    test: LIVE,
  },
  'live text overwrites that of a newer holder': {
    file: 'features/live/liveDocument.ts',
    text: `before === undefined
`,
    by: `before === undefined || true
`,
    test: LIVE,
  },
  'live text that an earlier holder has left is not deleted': {
    file: 'features/live/liveDocument.ts',
    text: 'this.#mayExist = mayExist;',
    by: 'this.#mayExist = mayExist && false;',
    test: LIVE,
  },
  'live text shows what may become a secret': {
    file: 'kits/live/shownEnd.ts',
    text: 'finishedPart(safeText(cleanText(masker, streamed).text, masker))',
    by: 'safeText(cleanText(masker, streamed).text, masker)',
    test: LIVE,
  },
  'a watch that lost a race is not tried again': {
    file: 'kits/live/renewWatch.ts',
    text: 'return ok ? undefined : RACE_LOST;',
    by: 'return ok ? undefined : undefined;',
    test: WATCH,
  },
  'a deferred session is changed by its readers': {
    file: 'kits/live/renewWatch.ts',
    text: "if (session === undefined || session.value.status === 'deferred') return undefined;",
    by: 'if (session === undefined) return undefined;',
    test: WATCH,
  },
  'every reader renews a watch': {
    file: 'kits/live/renewWatch.ts',
    text: 'if (leftMs > WATCH_MS - RENEW_WATCH_MS) return;',
    by: '',
    test: WATCH,
  },
  'a watch undoes a pause': {
    file: 'kits/live/renewWatch.ts',
    text: 'saveDocument(path, controlType, value, control?.version)',
    by: "{ op: 'put', path, type: controlType as never, value }",
    test: WATCH,
  },
};
