// A model in the background, in the time of a test's clock: it thinks, ends, and sends its webhook.

import type { BackgroundModel, Submission } from '../../../shared/contract/backgroundModel.ts';
import type { LlmResponse } from '../../../shared/core/contract/llm.ts';
import { RetryableError } from '../../../shared/core/errors.ts';

/** A question at the provider. */
export interface Asked {
  id: string;
  submission: Submission;
  endsAt: number;
  /** Number of reads. */
  reads: number;
  isRemoved: boolean;
  response: LlmResponse;
}

/** A model and its state. */
export interface FakeBackground extends BackgroundModel {
  /** All questions, in order. */
  asked: Asked[];
  /** Changes the next results; the methods are consulted once a call. */
  faults: {
    submit?: () => 'refused' | 'lost' | undefined;
    read?: (asked: Asked) => 'failed' | 'missing' | 'unread' | undefined;
    remove?: () => boolean;
  };
}

const DOWN = () => new RetryableError('MODEL_UNAVAILABLE', 'The model is down.');

/**
 * A model that answers what `respond` says, after `thinkMs`.
 * @param onEnd is called at once with a question that was accepted, to plan its webhook.
 */
export function fakeBackground(
  now: () => number,
  thinkMs: number,
  respond: (submission: Submission) => LlmResponse,
  onEnd: (asked: Asked) => void = () => {},
): FakeBackground {
  const asked: Asked[] = [];
  const find = (id: string) => asked.find((one) => one.id === id && !one.isRemoved);
  const model: FakeBackground = {
    asked,
    faults: {},
    async submit(_request, submission) {
      const fault = model.faults.submit?.();
      if (fault === 'refused') return { kind: 'refused', error: DOWN() };
      const id = `v1_${asked.length + 1}`;
      const one: Asked = {
        id,
        submission,
        endsAt: now() + thinkMs,
        reads: 0,
        isRemoved: false,
        response: respond(submission),
      };
      asked.push(one);
      onEnd(one);
      return fault === 'lost' ? { kind: 'unknown', error: DOWN() } : { kind: 'accepted', id };
    },
    async read(_request, id, { report }) {
      const one = find(id);
      if (one === undefined) return { kind: 'missing' };
      one.reads += 1;
      const fault = model.faults.read?.(one);
      if (fault === 'missing') return { kind: 'missing' };
      if (fault !== undefined) return { kind: fault, error: DOWN() };
      if (now() < one.endsAt) return { kind: 'running' };
      const { usage } = one.response;
      if (usage !== null) report.usage = usage;
      return { kind: 'answered', response: one.response };
    },
    async remove(id) {
      if (model.faults.remove?.() === false) return false;
      const one = find(id);
      if (one !== undefined) one.isRemoved = true;
      return true;
    },
  };
  return model;
}
