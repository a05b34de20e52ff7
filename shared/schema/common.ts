// Pieces that several documents share.

import * as z from 'zod';

/** Names of agents, servers and chains: they become parts of document ids and tool names, so no dots or slashes. */
export const NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;
export const nameSchema = z
  .string()
  .regex(NAME_PATTERN, 'must start with a letter and hold only letters, digits, "_" and "-" (63 at most)');

/** Tokens as the provider bills them; `thinking` is billed as output, `cached` is part of `input`. */
export const tokenUsageSchema = z.strictObject({
  input: z.int().nonnegative(),
  output: z.int().nonnegative(),
  thinking: z.int().nonnegative(),
  cached: z.int().nonnegative(),
  total: z.int().nonnegative(),
});
export type TokenUsage = z.infer<typeof tokenUsageSchema>;

export const NO_TOKENS: TokenUsage = { input: 0, output: 0, thinking: 0, cached: 0, total: 0 };

/** The sum of two usages, field by field. */
export function addTokens(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    thinking: a.thinking + b.thinking,
    cached: a.cached + b.cached,
    total: a.total + b.total,
  };
}

/** Why something ended badly: a code of shared/errors.ts and a sentence a person can act on. */
export const failureSchema = z.strictObject({ code: z.string().min(1), message: z.string().min(1) });
export type Failure = z.infer<typeof failureSchema>;

/** Statuses an execution, a stage or a session may end in; none of them ever changes again. */
export const TERMINAL_STATUSES = ['completed', 'failed', 'cancelled', 'timed_out'] as const;
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

/** Whether a status is an end. */
export function isTerminal(status: string): status is TerminalStatus {
  return (TERMINAL_STATUSES as readonly string[]).includes(status);
}
