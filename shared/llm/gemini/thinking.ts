// How a model is asked to think: levels on Gemini 3 and later, token budgets on 2.5, nothing before.

import { geminiVersion, isGemini3OrLater } from '../../core/contract/geminiVersion.ts';
import type { ModelSettings } from '../../core/schema/agent.ts';

type Level = NonNullable<ModelSettings['thinkingLevel']>;

/** Tokens. 512 is the smallest budget all 2.5 models take. */
const BUDGETS: Record<Level, number> = { minimal: 512, low: 2_000, medium: 5_000, high: 12_000 };

/** `thinkingConfig` of a request: a level or a budget in tokens, never both. */
interface ThinkingConfig {
  /** Whether the answer contains summaries of thoughts. */
  includeThoughts: boolean;
  /** For Gemini 3 and later. Absent: the model's default. */
  thinkingLevel?: 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH';
  /** Tokens, for Gemini 2.5. Absent: the model's default. */
  thinkingBudget?: number;
}

/** The thinking configuration of a model; undefined if it refuses one. Without level: its default. */
export function thinkingConfig(settings: ModelSettings): ThinkingConfig | undefined {
  const { model, thinkingLevel: level, includeThoughts } = settings;
  const version = geminiVersion(model);
  if (isGemini3OrLater(model)) {
    if (level === undefined) return { includeThoughts };
    return { includeThoughts, thinkingLevel: LEVEL_NAMES[knownLevel(model, level)] };
  }
  if (version?.major !== 2 || version.minor < 5) return undefined;
  return { includeThoughts, ...(level !== undefined && { thinkingBudget: BUDGETS[level] }) };
}

/** The level, or the next one that the model knows. */
export function knownLevel(model: string, level: Level): Level {
  // Pro models and Gemini 4 know no level below low.
  const hasMinimal = geminiVersion(model)?.major === 3 && !model.includes('-pro');
  return level === 'minimal' && !hasMinimal ? 'low' : level;
}

/** The same with as little thinking as the model can do. */
export function leastThinkingConfig(settings: ModelSettings): ThinkingConfig | undefined {
  return thinkingConfig({ ...settings, thinkingLevel: 'minimal' });
}

/** Whether a model that is asked with these settings could think less. */
export function canThinkLess(settings: ModelSettings): boolean {
  const now = thinkingConfig(settings);
  const least = leastThinkingConfig(settings);
  return now?.thinkingLevel !== least?.thinkingLevel || now?.thinkingBudget !== least?.thinkingBudget;
}

const LEVEL_NAMES = { minimal: 'MINIMAL', low: 'LOW', medium: 'MEDIUM', high: 'HIGH' } as const;
