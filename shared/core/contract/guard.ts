// Keeps secrets out of what models read and of what leaves in their answers. `masking/` implements it.

import type { Interpretation } from './controller.ts';
import type { ConversationMessage, LlmResponse } from './llm.ts';
import type { ToolCall, ToolDefinition, ToolResult } from './tools.ts';

/** A text without secrets. */
export interface Masked {
  /** The text with marks in place of secrets. */
  text: string;
  /** How many marks were put in. */
  count: number;
  /** How many of each kind. */
  kinds: Readonly<Record<string, number>>;
}

/** Takes secrets out of texts of one session. */
export interface Masker {
  /** Digits for the session's prompts, which are masked like a known secret; undefined without a session. */
  readonly canary: string | undefined;
  /**
   * The text with a mark (`[masked:password#3f2a1c]`) for each secret. Masking it again changes nothing. If
   * it cannot be done (too long, too much work, a fault in a rule), the mark `[masked:unreadable#…]` is all
   * that is left. Never throws.
   */
  mask(text: string): Masked;
  /**
   * Masks like `mask`, and lets other work of the process run between pieces of a long text. Maskers of a
   * process that come from `createMaskers` read a limited number of characters at a time, and the longest
   * texts in a thread; further texts wait.
   */
  maskGradually(text: string): Promise<Masked>;
  /** Whether `mask` would change the text. */
  wouldChange(text: string): boolean;
  /**
   * The worst content that a text would leak from the session: a secret, a mark, or the session's canary,
   * also encoded or split. Searches deeper than `mask`, and does not report the place.
   */
  findLeak(text: string): SecretLeak | undefined;
  /**
   * Whether `texts` complete a known secret or the canary, of which texts that left `earlier` held the rest;
   * without earlier ones whether they hold it together. False for a secret that earlier texts hold without
   * them.
   */
  hasSplitLeak(earlier: readonly string[], texts: readonly string[]): boolean;
  /** A mark that replaces a whole text. `kind` is the kind in the mark, such as `password`. */
  markOf(text: string, kind: string): string;
  /** A copy of a JSON value, masked in keys and strings; values of keys such as `password` always. */
  maskJson(value: unknown): MaskedJson;
  /**
   * Masks like `maskJson`, and lets other work of the process run in between, as `maskGradually` does.
   * @param length number of characters of the value's JSON text.
   */
  maskJsonGradually(value: unknown, length: number): Promise<MaskedJson>;
}

/** A JSON value without secrets. */
export interface MaskedJson {
  /** The masked copy. */
  value: unknown;
  /** Number of marks in it. */
  count: number;
  /** Number of marks by kind. */
  kinds: Readonly<Record<string, number>>;
}

/** The worst content of a text that must not leave the session. */
export type SecretLeak = 'canary' | 'secret' | 'mark';

/** Makes the masker of a session from its `maskKey`. */
export type MaskerFor = (key: string) => Masker;

/** Protects an iteration: masks its texts, and checks the tools and answers of its model. */
export interface Guard extends Masker {
  /** The masked text with visible control characters, and the number of its marks. Never throws. */
  cleanText(text: string): { text: string; count: number };
  /**
   * The definitions that servers give for their tools, masked and bounded. A tool whose name holds a secret
   * is omitted. A definition without secrets keeps its schema object.
   */
  cleanTools(tools: readonly ToolDefinition[]): Promise<ToolDefinition[]>;
  /** Masks a model's answer before anything reads or stores it. Never throws. */
  cleanAnswer(response: LlmResponse): CleanAnswer;
  /**
   * The interpretation of a clean answer without the parts that would carry masked data away: such calls get
   * an error as their result, and an event reports each refusal. Never throws.
   */
  refuseCalls(interpretation: Interpretation, answer: CleanAnswer, sent: SentWith): Interpretation;
}

/** Makes the guard of a session from its `maskKey`. */
export type GuardFor = (key: string) => Guard;

/** A model's answer without secrets. */
export interface CleanAnswer {
  /** The answer with marks in place of secrets, its offsets moved. */
  response: LlmResponse;
  /** One sentence for each kind of part that was removed; empty for none. */
  refusals: readonly string[];
  /** The kinds of secrets in the visible text. */
  kindsInText: readonly string[];
}

/** The request of an answer. */
export interface SentWith {
  /** The number of the iteration, for events. */
  iteration: number;
  /** The messages before the answer: calls of earlier answers can hold the rest of a secret. */
  conversation: readonly ConversationMessage[];
  /** The result of a call that no tool answered. */
  failedResult(call: ToolCall, content: string): ToolResult;
}
