// The prose of a postmortem: the question to a model, and the check of its sentences.

import * as z from 'zod';
import type { PlannedAgent } from '../../core/schema/agent.ts';
import { createStatementCheck } from '../../evidence/statement.ts';
import { parseJson } from '../../text/json.ts';
import type { Fact } from './facts.ts';

/** The parts of a draft that a model writes. */
type ProsePart = 'summary' | 'impact' | 'resolution';

const sentence = z.object({ text: z.string().min(1).max(1_000), facts: z.array(z.string()).max(20) });
const answer = z.object({
  summary: z.array(sentence).max(8),
  impact: z.array(sentence).max(8),
  resolution: z.array(sentence).max(8),
});

/** A sentence, and the facts that it is about. */
export interface ProseSentence {
  text: string;
  facts: Fact[];
}

/** The checked prose. */
export interface Prose {
  parts: Readonly<Record<ProsePart, ProseSentence[]>>;
  /** Sentences that were left out, because no fact supports them. */
  leftOut: number;
}

/** The name under which the model gets the facts. */
export const FACTS = 'facts';
/** The question. The facts go along as data, because they quote others. */
export const QUESTION = `Write three parts of a postmortem from the numbered facts of "${FACTS}": "summary" (the course of the incident, for readers who were not there), "impact" (the affected users and services, as far as it was measured), "resolution" (the end of the problem, and its reason).
Each sentence names the facts that it is from in "facts", as f1, f2. Write no sentence without a fact, no number, time or name that no fact has, no cause, no lessons and no advice. A part about which the facts state nothing stays empty. Name no people.`;

/** The agent of a chain's chat, without tools, for one answer in the form of the three parts. */
export function proseAgent(chat: PlannedAgent): PlannedAgent {
  const { asks: _, collect: _1, resources: _2, toolDescriptions: _3, ...agent } = chat;
  const outputSchema = JSON.stringify(z.toJSONSchema(answer));
  const limits = { ...chat.limits, maxIterations: 1 };
  return { ...agent, tools: [], nativeTools: [], collect: [], outputSchema, limits };
}

/** States of values that no fact has. */
const INVENTED: readonly string[] = ['absent', 'contradicted', 'claim'];

/**
 * The sentences of an answer whose facts exist and have their values. Causes are left to the verdict.
 * @param output the answer as JSON; an unreadable one has no sentences.
 */
export function checkProse(output: string, facts: readonly Fact[]): Prose {
  const parsed = answer.safeParse(parseJson(output));
  const written = parsed.success ? parsed.data : { summary: [], impact: [], resolution: [] };
  const byId = new Map(facts.map((fact) => [fact.id, fact]));
  let leftOut = 0;
  const check = (sentences: z.infer<typeof sentence>[]): ProseSentence[] =>
    sentences.flatMap(({ text, facts: ids }) => {
      const named = ids.flatMap((id) => byId.get(id) ?? []);
      const sources = named.map(({ id, text: known, at }) => ({ id, text: `${at.toISOString()} ${known}` }));
      const values = named.length === 0 ? [] : createStatementCheck(sources, '')(text);
      if (named.length > 0 && !values.some(({ state }) => INVENTED.includes(state)))
        return [{ text, facts: named }];
      leftOut++;
      return [];
    });
  const parts = {
    summary: check(written.summary),
    impact: check(written.impact),
    resolution: check(written.resolution),
  };
  return { parts, leftOut };
}
