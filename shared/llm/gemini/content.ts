// Gemini's own form of a conversation, as it stands on the wire.

import type { JsonObject } from '../../text/json.ts';

/** A piece of an answer as Gemini sent it; whole, because signatures and unknown keys are in it. */
export type GeminiPart = JsonObject;

/** The content of one role: an answer of the model, or everything sent between two answers. */
export interface Content {
  /** `model` for answers, `user` for everything else. */
  role: 'user' | 'model';
  /** Its parts, in order. */
  parts: GeminiPart[];
}
