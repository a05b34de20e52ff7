// Wires models that answer while nothing runs, where models.yaml has one.

import type { BackgroundModel } from '../contract/backgroundModel.ts';
import { createBackgroundModel } from '../llm/interactions/backgroundModel.ts';

/** Gemini in the background; `GEMINI_WEBHOOK_URL` is the address that gets its webhooks. */
export function openBackground(env: NodeJS.ProcessEnv, secrets: readonly string[] = []): BackgroundModel {
  return createBackgroundModel({ env, secrets, webhookUrl: () => env.GEMINI_WEBHOOK_URL || undefined });
}
