// Shows readers of a session the text and thoughts of models in the background, for which no function runs.
// Each question has one stream at Google in this process, with any number of readers.

import type { ThoughtReader } from '../../contract/backgroundModel.ts';
import { errorMessage } from '../../core/errors.ts';
import type { AlertDeps } from '../../core/kernel/deps.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { executionType, paths } from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { LiveSource } from '../../kits/live/liveSource.ts';
import type { LiveText } from '../../kits/live/liveText.ts';
import { watchReadable } from '../../kits/views/readable.ts';
import { readQuestion } from './thought.ts';
import { type OpenQuestion, type Show, type StreamDeps, ThoughtStream } from './thoughtStream.ts';

/** The live texts of questions that no process waits for. */
export function followThoughts(reader: ThoughtReader, maskerFor: AlertDeps['maskerFor']): LiveSource {
  const streams = new Map<string, ThoughtStream>();
  const join = (question: OpenQuestion, show: Show, deps: StreamDeps): (() => void) => {
    const { interactionId } = question;
    const stream = streams.get(interactionId) ?? new ThoughtStream(question, deps);
    streams.set(interactionId, stream);
    stream.add(show);
    return () => {
      if (stream.remove(show)) streams.delete(interactionId);
    };
  };
  return (sessionId, onChange, { store, clock, log }) => {
    const deps = { store, clock, log, maskerFor, reader };
    const followed = new Map<string, Followed>();
    const take = (execution: Execution): void => {
      const { executionId } = execution;
      const interactionId = findInteractionId(execution);
      const before = followed.get(executionId);
      if (before?.interactionId === interactionId) return;
      before?.leave();
      followed.delete(executionId);
      if (before?.shown !== undefined) onChange({ live: before.shown, ended: true });
      if (interactionId === undefined) return;
      const one: Followed = { interactionId, leave: () => {} };
      followed.set(executionId, one);
      const show = (live: LiveText) => {
        one.shown = live;
        onChange({ live, ended: false });
      };
      one.leave = join({ interactionId, execution }, show, deps);
    };
    const warn = (text: string) => log.warn({ sessionId }, `thoughts are not shown: ${text}`);
    const stop = watchReadable(
      { collection: paths.executions(sessionId) },
      executionType,
      {
        onDocuments: (documents) => {
          for (const { value } of documents) take(value);
        },
        onUnreadable: ({ message }) => warn(message),
        onError: (error) => warn(errorMessage(error)),
      },
      store,
    );
    return () => {
      stop();
      for (const { leave } of followed.values()) leave();
      followed.clear();
    };
  };
}

/** The question of an execution that one reader follows. */
interface Followed {
  interactionId: string;
  /** The text that the reader has. */
  shown?: LiveText;
  leave(): void;
}

/** The id of the question that an execution waits for; undefined if it waits for none. */
function findInteractionId(execution: Execution): string | undefined {
  if (isTerminal(execution.status)) return undefined;
  return readQuestion(execution)?.interactionId ?? undefined;
}
