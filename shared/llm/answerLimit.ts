// Limits how much of an answer is read: a provider, or a fake one, could send without end.

import type { ModelSettings } from '../core/schema/agent.ts';
import { type ModelFailure, modelFailure } from './failures.ts';

/** Bytes of an answer on the wire; `answerLimit` overrides it. Large answers have images of some MB. */
const DEFAULT_ANSWER_BYTES = 32_000_000;

/** Counts the bytes of one answer while they arrive. */
export interface AnswerLimit {
  /** Counts bytes. Throws when they are too many, so that nothing more is read. */
  add(bytes: number): void;
  /** The same response, whose body is counted and fails when it is too large. */
  limitBody(response: Response): Response;
  /** The failure of an answer that was too large; undefined while it is not. */
  failure(): ModelFailure | undefined;
}

/** A limit for one answer of this model. @param onBytes called when bytes arrive. */
export function createAnswerLimit(
  { answerBytes = DEFAULT_ANSWER_BYTES }: Pick<ModelSettings, 'answerBytes'>,
  onBytes?: (isOpen: true) => void,
): AnswerLimit {
  let received = 0;
  const add = (bytes: number): void => {
    received += bytes;
    if (received > answerBytes) throw new RangeError(`the answer has more than ${answerBytes} bytes`);
  };
  return {
    add,
    limitBody(response) {
      if (response.body === null) return response;
      const counted = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          add(chunk.length);
          onBytes?.(true);
          controller.enqueue(chunk);
        },
      });
      const { status, statusText, headers } = response;
      return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
    },
    failure() {
      if (received <= answerBytes) return undefined;
      const text = `The answer was larger than ${answerBytes} bytes, and was not read to its end. The limit is answerLimit of the model.`;
      return modelFailure('too_large', text);
    },
  };
}
