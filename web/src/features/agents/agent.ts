// Words for the settings of agents.

import type { AnswerOf } from '../../../../shared/lists/apiTypes.ts';

/** An agent in a list. */
export type AgentRow = AnswerOf<'GET /v1/agents'>['agents'][number];
/** An agent with all that is configured of it. */
export type Agent = AnswerOf<'GET /v1/agents/{name}'>;
/** The rules of servers.yaml for an entry of an agent's tools. */
export type ToolRule = Agent['tools'][number];
/** Limits by their names. Durations in milliseconds, sizes in bytes. */
export type AgentLimits = Readonly<Record<string, unknown>>;
type Model = NonNullable<Agent['settings']>['model'];

/** A model with its settings, in words. */
export function modelText({
  provider,
  model,
  maxOutputTokens,
  thinkingLevel,
  temperature,
}: Pick<Model, 'provider' | 'model' | 'maxOutputTokens' | 'thinkingLevel' | 'temperature'>): string {
  return [
    `${model} (${provider})`,
    thinkingLevel && `thinking ${thinkingLevel}`,
    temperature !== undefined && `temperature ${temperature}`,
    maxOutputTokens !== undefined && `up to ${maxOutputTokens} output tokens`,
  ]
    .filter(Boolean)
    .join(' · ');
}
