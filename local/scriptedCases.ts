// Scripted models for cases: one that is right, six that are wrong in one way each, and one that is lazy.
// They stand in for models where no key is set, so they know the truth of each case; a real model never sees
// it.

import { caseNames, readCase, readTruth, type Truth } from '../shared/cases/caseFile.ts';
import { CLAIMS_ROLE } from '../shared/wording/claims.ts';
import type { ModelScript } from './scriptedModel/modelScript.ts';

/** The ways of the scripted models. The prefix makes the scripted Gemini know their version. */
const WAYS = [
  ...([
    'right',
    'premature',
    'missed-tool',
    'unsupported',
    'incomplete',
    'hallucinated',
    'wrong',
    'lazy',
  ] as const),
] as const;
type Way = (typeof WAYS)[number];
type Conversation = ModelScript['conversations'][number];

const PREFIX = 'gemini-3.8-';
/** The ids of the scripted models. */
export const SCRIPTED_MODELS: readonly string[] = WAYS.map((way) => `${PREFIX}${way}`);

/** The script of all scripted models for the cases of a folder. */
export function scriptOfCases(folder: string): ModelScript {
  const conversations = caseNames(folder).flatMap((name) => {
    const title = readCaseTitle(folder, name);
    const truth = readTruth(folder, name);
    return WAYS.flatMap((way) => composeScriptedConversations(way, title, truth));
  });
  return { models: [...SCRIPTED_MODELS], conversations };
}

/** Number of cases whose alert has an earlier case's title: scripted models confuse them. */
export function casesWithSharedTitles(folder: string): number {
  const titles = caseNames(folder).map((name) => readCaseTitle(folder, name));
  return titles.length - new Set(titles).size;
}

const readCaseTitle = (folder: string, name: string): string =>
  String(readCase(folder, name).alert.title ?? name);

/** The calls, quotes and causes of a scripted model. */
export interface Statement {
  causes: { component: string; mechanism: string }[];
  /** Absent: `cause`, or `unknown` without one. */
  conclusion?: 'not_an_incident';
  quotes: string[];
  steps: Truth['steps'];
}

/** The texts that each scripted model reads, quotes and concludes. */
function composeScriptedStatement(way: Way, { causes, evidence, steps, distractor }: Truth): Statement {
  const suggested = distractor?.suggests ?? { component: 'unknown', mechanism: 'other' as const };
  const list = steps.slice(0, distractor ? 1 : 0).map(({ arguments: { namespace } }) => ({
    tool: distractor?.tool ?? '',
    arguments: { namespace },
  }));
  switch (way) {
    case 'right':
      return { causes, quotes: evidence, steps };
    case 'premature':
      return { causes: [{ ...suggested, mechanism: 'other' }], quotes: [], steps: [] };
    case 'missed-tool':
      return {
        causes: causes.map((cause) => ({ ...cause, mechanism: 'other' as const })),
        quotes: evidence.slice(2),
        steps: steps.slice(2),
      };
    case 'unsupported':
      return { causes, quotes: [], steps };
    case 'incomplete':
      return { causes, quotes: evidence.slice(0, 1), steps: steps.slice(0, 1) };
    case 'hallucinated':
      return { causes, quotes: evidence.map((line) => `${line.slice(0, 24)} rose to 4711`), steps };
    case 'wrong':
      return {
        causes: [suggested],
        quotes: [...(distractor ? [distractor.text] : []), ...evidence.slice(0, 1)],
        steps: [...list, ...steps.slice(0, 1)],
      };
    case 'lazy':
      return { causes: [], quotes: [], steps: [] };
  }
}

function composeScriptedConversations(way: Way, title: string, truth: Truth): Conversation[] {
  return conversationsFor(`${PREFIX}${way}`, title, composeScriptedStatement(way, truth));
}

/** The conversations of a scripted model that makes some calls, quotes lines and names causes. */
export function conversationsFor(
  model: string,
  title: string,
  { causes, quotes, steps, conclusion }: Statement,
): Conversation[] {
  const hypotheses = causes.map(({ component, mechanism }, index) => ({
    id: `h${index + 1}`,
    component,
    mechanism,
    cause: true,
  }));
  const evidence = quotes.map((quote, index) => ({
    id: `e${index + 1}`,
    // Of two causes, the last half of the evidence belongs to the second one.
    hypothesis: hypotheses[Math.min(hypotheses.length - 1, hypotheses.length > 1 && index > 0 ? 1 : 0)]?.id,
    side: 'for',
    quote,
  }));
  const named = causes.map(({ component, mechanism }) => `${component} (${mechanism})`).join(' and ');
  const text = named === '' ? 'The cause is unknown: nothing was read.' : `**Root cause**: ${named}.`;
  const reads = steps.map(({ tool: name, arguments: args }) => ({ name, args }));
  const turns = [
    ...(reads.length > 0 ? [{ toolCalls: reads }] : []),
    ...(hypotheses.length > 0 ? [{ toolCalls: [{ name: 'ledger', args: { hypotheses, evidence } }] }] : []),
    { text },
  ];
  const answer = {
    conclusion: conclusion ?? (named === '' ? 'unknown' : 'cause'),
    cause: hypotheses.map(({ id }) => id),
  };
  const said = (system: string, json: object): Conversation => ({
    when: { model, system, user: title },
    turns: [{ text: JSON.stringify(json) }],
  });
  return [said(CLAIMS_ROLE, answer), { when: { model, user: title }, turns, conclusion: { text } }];
}
