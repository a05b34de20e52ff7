import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { exampleNames, findExample } from '../../local/examples.ts';
import { readAlert } from '../../shared/alerts/index.ts';
import { alertForPrompt } from '../../shared/alerts/prompt.ts';
import { resolveChain } from '../../shared/config/chains.ts';
import { loadConfig } from '../../shared/config/load.ts';
import { STRATEGIES } from '../../shared/core/controllers/abilities.ts';
import { readPart } from '../../shared/core/schema/parts.ts';
import { isMissing } from '../../shared/evidence/derivedNumbers.ts';
import { verdictPart } from '../../shared/evidence/schema/verdict.ts';
import { createStatementCheck } from '../../shared/evidence/statement.ts';
import { createMasker } from '../../shared/masking/masker.ts';
import { runExample } from '../support/runExample.ts';
import { listShownTexts } from './shownTo.ts';

const masker = createMasker({});

/** Values that the check does not find: agents' names, distant values, a computed time. */
const UNCHECKED: Record<string, string[]> = {
  chain: ['20000', 'metrics-investigator'],
  fallback: ['20000'],
  parallel: ['20000'],
  synthesis: ['4'],
  team: ['log-reader'],
  // The agent's own confidence, and a number that its field has without a comma.
  assessment: ['0.9', '20000'],
};

/** The values of a text that its agent was not shown, as the check of analyses finds them. */
const unsupportedValues = (text: string, shown: string): string[] =>
  createStatementCheck(
    [{ id: 'r1', text: shown }],
    '',
  )(text)
    .filter(isMissing)
    .map((value) => value.text);

/** The alert as the agents of an example are shown it. */
function alertTextOf(name: string): string {
  const reading = readAlert(readFileSync(findExample(name).alertFile), masker);
  if (!reading.ok) throw new Error(reading.failure.message);
  return alertForPrompt(reading.alert, reading.body, { maxBytes: 64_000, nonce: '0123456789ab' });
}

/** What an example shows that is refused, by event and code; nothing of any other example fails. */
const REFUSED: Record<string, string[]> = {
  planted: ['error TAINT_BLOCKED', 'tool_result'],
  // The call of the agent that asked, then what happened to the one that was asked.
  team: ['tool_result', 'error ITERATION_TIMEOUT', 'error ITERATION_TIMEOUT', 'error ITERATION_TIMEOUT'],
  assessment: ['error OUTPUT_INVALID'],
};

it.each(exampleNames())(
  'the example %s runs to its analysis, only its planned faults fail, and no agent claims a fact that it was not shown',
  async (name) => {
    const { session, timeline, marked } = await runExample(name);
    // Its statements are true; a number is the agent's own confidence.
    if (readPart(verdictPart, session) !== undefined)
      expect(marked).toEqual(name === 'assessment' ? ['0.9'] : []);
    const failed = timeline.filter(({ status }) => status !== 'completed');
    const codes = failed.map((event) =>
      event.eventType === 'error' ? `error ${event.metadata.code}` : event.eventType,
    );
    expect(codes).toEqual(REFUSED[name] ?? []);
    expect(session).toMatchObject({ status: 'completed', failure: null });

    // The prices of current models are known without prices.yaml.
    expect(session.cost.usd).toBeGreaterThan(0);

    const inOrder = timeline.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
    const asked = inOrder.filter(({ eventType }) => eventType === 'user_question');
    expect(asked.map(({ content }) => content)).toEqual(findExample(name).questions);
    for (const { executionId } of asked) {
      const own = inOrder.filter((event) => event.executionId === executionId);
      expect(own.at(-1)?.eventType).toBe('final_analysis');
    }
    const summary = inOrder.filter(({ createdAt }) => !asked[0] || createdAt < asked[0].createdAt).at(-1);
    expect(summary?.eventType).toBe('executive_summary');
    expect(session.executiveSummary).toBe(summary?.content);
    expect(summary?.content.split('\n').length).toBe(4);
    const analyses = listShownTexts(inOrder, alertTextOf(name)).filter(({ eventType }) =>
      ['final_analysis', 'executive_summary'].includes(eventType),
    );
    expect(analyses.length).toBeGreaterThan(1);
    expect(analyses.flatMap(({ text, shown }) => unsupportedValues(text, shown))).toEqual(
      UNCHECKED[name] ?? [],
    );
  },
);

it('the summary of the structured agent is asked with all fields of its answer', async () => {
  const { messages } = await runExample('assessment');
  const asked = messages.filter(({ executionId }) => executionId === '02-executive-summary');
  expect(JSON.stringify(asked)).toContain(
    '**rollback**: kubectl -n shop rollout undo deployment/checkout --to-revision=7',
  );
});

it('secrets and orders planted in a log are masked or refused, and the timeline notes it', async () => {
  const { session, timeline } = await runExample('planted');
  const log = timeline.find(({ metadata }) => 'masked' in metadata);
  expect(log).toMatchObject({ eventType: 'tool_result', metadata: { masked: 3 } });
  expect(log?.content.match(/\[masked:[a-z-]+/g)).toEqual([
    '[masked:aws-key',
    '[masked:url-password',
    '[masked:authorization',
  ]);
  const stored = JSON.stringify([session, timeline]);
  for (const secret of ['AKIAIOSFODNN7EXAMPLE', 'plum-Harbor-93-tin', 'r8Kq2mVx7tLw4sZt9yBc'])
    expect(stored).not.toContain(secret);
  expect(
    timeline.filter(({ eventType }) => eventType === 'llm_tool_call').map(({ metadata }) => metadata),
  ).toMatchObject([
    { toolName: 'kubernetes.list_pods' },
    { toolName: 'kubernetes.get_logs' },
    { toolName: 'kubernetes.get_events' },
    { toolName: 'kubernetes.rollout_history' },
  ]);
  expect(session.finalAnalysis).toMatch(/one database connection per tenant/);
});

it('an agent was not shown later facts, those of a parallel agent, or those of its own call', () => {
  const event = {
    eventType: 'tool_result',
    stageId: '01-a',
    executionId: '01-x',
    iteration: 1,
    metadata: {},
  };
  const thought = { ...event, eventType: 'llm_thinking', iteration: 2, content: '7 s' };
  const lines = [
    { ...event, content: 'result of x' },
    { ...event, executionId: '01-y', content: 'result of y' },
    { ...event, eventType: 'llm_tool_call', content: 'logs(tail: 40)', metadata: { toolName: 'k8s.logs' } },
    thought,
    { ...event, eventType: 'google_search_result', iteration: 2, content: 'search of x' },
    { ...event, iteration: 2, content: 'later result of x' },
    { ...event, eventType: 'final_analysis', executionId: '01-y', content: 'analysis of y' },
    { ...thought, stageId: '02-b', executionId: '02-z' },
  ];
  const [first, , last] = listShownTexts(lines, 'alert');
  expect(first?.shown.split('\n')).toEqual(['alert', 'result of x', 'k8s.logs', 'search of x']);
  expect(last?.shown.split('\n')).toEqual(['alert', 'analysis of y']);
});

it('there is an example of every strategy', () => {
  const used = exampleNames().flatMap((name) => {
    const { stages } = resolveChain(loadConfig(findExample(name).configFolder, {}));
    return stages.flatMap(({ agents, synthesis }) => [...agents, ...(synthesis ? [synthesis] : [])]);
  });
  expect(new Set(used.map(({ strategy }) => strategy))).toEqual(new Set(STRATEGIES));
});
