// Schemas that several documents share.

import * as z from 'zod';
import { makeVisible } from '../../text/hiddenCharacters.ts';
import { limitText } from '../../text/limitText.ts';
import type { ErrorCode, InquestError } from '../errors.ts';

const NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;
/**
 * A name of an agent, server or chain. It becomes part of document ids and tool names, so it contains no dots
 * or slashes.
 */
export const nameSchema = z
  .string()
  .regex(NAME_PATTERN, 'must start with a letter and hold only letters, digits, "_" and "-" (63 at most)');

/** The mark of a session's data: 12 hexadecimal digits. */
export const nonceSchema = z.string().regex(/^[0-9a-f]{12}$/, 'must have 12 hexadecimal digits');

/** A key of 128 bits, as hexadecimal digits. */
export const keySchema = z.string().regex(/^[0-9a-f]{32}$/, 'must have 32 hexadecimal digits');

/** Tokens as the provider bills them; `thinking` is billed as output, `cached` is part of `input`. */
export const tokenUsageSchema = z.strictObject({
  input: z.int().nonnegative(),
  output: z.int().nonnegative(),
  thinking: z.int().nonnegative(),
  cached: z.int().nonnegative(),
  total: z.int().nonnegative(),
});
/** Token counts of one or several model calls. */
export type TokenUsage = z.infer<typeof tokenUsageSchema>;

/** The usage of no call. */
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

/** The difference of two usages, field by field. `b` is an earlier state of the same count as `a`. */
export function subtractTokens(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    input: a.input - b.input,
    output: a.output - b.output,
    thinking: a.thinking - b.thinking,
    cached: a.cached - b.cached,
    total: a.total - b.total,
  };
}

/**
 * Text of an open set. The compiler accepts only `T` where this code writes it. Reads accept any text,
 * because newer code can have written it.
 */
export const openSet = <T extends string>(): z.ZodType<T, T> =>
  z.string().min(1) as unknown as z.ZodType<T, T>;

/** A failure as it is stored: a code of shared/core/errors.ts and a message with the remedy. */
export const failureSchema = z.strictObject({ code: openSet<ErrorCode>(), message: z.string().min(1) });
/** A failure as it is stored and passed on. */
export type Failure = z.infer<typeof failureSchema>;

/** UTF-8 bytes of a stored failure's message. Executions contain several of them. */
const MAX_MESSAGE_BYTES = 10_000;

/**
 * The stored form of an error.
 * @param mask removes secrets from its message, before the message is made visible and cut. Default: none.
 */
export function toStoredFailure(
  { code, message }: InquestError,
  mask: (text: string) => string = (text) => text,
): Failure {
  return { code, message: limitText(makeVisible(mask(message || code)), MAX_MESSAGE_BYTES).content };
}

/**
 * Why an analysis is limited: it was forced because the iterations or a budget were used up, no tool was
 * available or the model answered nothing; the provider truncated it; it was cut because it was too large to
 * be stored; or it lacks its structured form. `SCRIPTED`: a script answered that does not name the alert.
 * `TOOL_MISSING`: a server does not have a tool that the agent lists. `BY_RULE`: rules gave it, without a
 * model. Sessions also have `AGENT_WITHOUT_ANALYSIS` and `TOOL_SERVER_MISSING`: their analysis lacks the
 * findings of an agent, or an agent worked without one of its tool servers.
 */
export type CaveatCode =
  | AnswerCaveat
  | 'SCRIPTED'
  | 'TOOL_MISSING'
  | 'BY_RULE'
  | 'AGENT_WITHOUT_ANALYSIS'
  | 'TOOL_SERVER_MISSING';

/** Why the analysis of one answer is limited. */
type AnswerCaveat = Extract<
  ErrorCode,
  | 'BUDGET_REACHED'
  | 'MAX_ITERATIONS'
  | 'ITERATION_TIMEOUT'
  | 'TOOL_SERVER_UNAVAILABLE'
  | 'MODEL_EMPTY_ANSWER'
  | 'MODEL_TRUNCATED'
  | 'DOCUMENT_TOO_LARGE'
  | 'OUTPUT_INVALID'
>;

/** The statuses in which executions, stages and sessions end; they never change again. */
export const TERMINAL_STATUSES = ['completed', 'failed', 'cancelled', 'timed_out'] as const;
/** The status of an ended execution, stage or session. */
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

/** Whether a status is terminal. */
export function isTerminal(status: string): status is TerminalStatus {
  return (TERMINAL_STATUSES as readonly string[]).includes(status);
}
