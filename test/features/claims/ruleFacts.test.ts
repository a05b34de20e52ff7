// Effects of findings by rule on misreading models: the table in docs/evaluation.md.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  type Case,
  type Cause,
  caseNames,
  readCase,
  readTruth,
  type Truth,
} from '../../../shared/cases/caseFile.ts';
import { ARMS, type Arm, hasArm, toolsOfArm } from '../../../shared/cases/caseTools.ts';
import { plainAnswer } from '../../../shared/cases/recordedModel.ts';
import { runCase } from '../../../shared/cases/runCase.ts';
import { scoreRun } from '../../../shared/cases/score.ts';
import { loadSessionConfig } from '../../../shared/config/load.ts';
import { LEDGER } from '../../../shared/core/contract/ledgerTool.ts';
import type { LlmClient, LlmRequest, LlmResponse } from '../../../shared/core/contract/llm.ts';
import { DEFAULT_RULES } from '../../../shared/core/schema/agent.ts';
import { MECHANISMS } from '../../../shared/text/mechanisms.ts';
import { EXTENSION_NAMES } from '../../../shared/wiring/extensions.ts';
import { IS_FULL } from '../../support/fullTests.ts';

const FOLDER = 'examples/cases';

/** What a model concludes, and the lines that it quotes. */
interface Reading {
  causes: readonly Pick<Cause, 'component' | 'mechanism'>[];
  quotes: readonly string[];
}
/** A scripted model: what it concludes of a case, and with a finding by rule before it. */
type Reader = (truth: Truth, fact: Reading | undefined) => Reading;

const right = ({ causes, evidence }: Truth): Reading => ({ causes, quotes: evidence });
const wrong = ({ distractor, evidence }: Truth): Reading => ({
  causes: distractor ? [distractor.suggests] : [],
  quotes: [
    ...(distractor?.text
      .split('\n')
      .map((line) => line.trim())
      .slice(0, 5) ?? []),
    ...evidence.slice(0, 1),
  ],
});
/** Another mechanism than the lines show. */
const misnamed = ({ causes, quotes }: Reading): Reading => ({
  causes: causes.map(({ component, mechanism }) => ({
    component,
    mechanism: MECHANISMS[(MECHANISMS.indexOf(mechanism) + 7) % MECHANISMS.length] ?? 'other',
  })),
  quotes,
});
const READERS: Record<string, Reader> = {
  'is right, and ignores the finding': right,
  'is right, and adds the finding': (truth, fact) => {
    const own = right(truth);
    const isKnown = ({ component, mechanism }: Reading['causes'][number]) =>
      own.causes.some((one) => one.component === component && one.mechanism === mechanism);
    if (fact === undefined || fact.causes.every(isKnown)) return own;
    return { causes: [...own.causes, ...fact.causes], quotes: [...own.quotes, ...fact.quotes] };
  },
  'is right, and adopts the finding instead': (truth, fact) => fact ?? right(truth),
  'follows the distractor': wrong,
  'follows the distractor, and adopts the finding instead': (truth, fact) => fact ?? wrong(truth),
  'names another mechanism of the found component': (truth, fact) => misnamed(fact ?? right(truth)),
  'quotes the found lines for the distractor': (truth, fact) => ({
    ...wrong(truth),
    quotes: (fact ?? wrong(truth)).quotes,
  }),
};

/** The finding in a request. */
function factIn({ messages }: LlmRequest): Reading | undefined {
  const texts = messages.flatMap(({ role, blocks }) =>
    role === 'user' ? blocks.flatMap((one) => (one.blockType === 'text' ? [one.textContent] : [])) : [],
  );
  const [, component = '', mechanism = '', rest = ''] =
    /source="rule">\n(\S+): (\w+)\n[^\n]*\n([\s\S]*?)\n<\/data-/.exec(
      texts.find((text) => text.startsWith('Rules of Inquest')) ?? '',
    ) ?? [];
  if (component === '') return undefined;
  const quotes = rest.split('\n').map((line) => line.replace(/^r\d+: /, ''));
  return { causes: [{ component, mechanism: mechanism as Cause['mechanism'] }], quotes };
}

/** A model that makes the calls of a case, states what it reads in the ledger, and concludes it. */
function modelOf(reader: Reader, truth: Truth): LlmClient & { facts: number } {
  const call = (name: string, args: object, index: number): LlmResponse['toolCalls'][number] => ({
    callId: `${name}${index}`,
    name,
    arguments: JSON.stringify(args),
  });
  const calling = (toolCalls: LlmResponse['toolCalls']): LlmResponse => ({
    ...plainAnswer(''),
    toolCalls,
    blocks: toolCalls.map(({ callId, name, arguments: input }) => ({
      blockType: 'tool_use' as const,
      toolUseId: callId,
      toolName: name,
      input,
    })),
  });
  let named: string[] = [];
  const model = {
    facts: 0,
    generate: async (request: LlmRequest): Promise<LlmResponse> => {
      if (request.tools.length === 0)
        return plainAnswer(
          JSON.stringify({ conclusion: named.length > 0 ? 'cause' : 'unknown', cause: named }),
        );
      const answers = request.messages.filter(({ role }) => role === 'assistant').length;
      if (answers === 0)
        return calling(truth.steps.map(({ tool, arguments: args }, index) => call(tool, args, index)));
      const fact = factIn(request);
      const { causes, quotes } = reader(truth, fact);
      if (answers > 1)
        return plainAnswer(`The cause: ${causes.map(({ component }) => component).join(', ')}.`);
      model.facts += Number(fact !== undefined);
      named = causes.map((_, index) => `h${index + 1}`);
      const hypotheses = causes.map(({ component, mechanism }, index) => ({
        id: named[index],
        component,
        mechanism,
        cause: true,
      }));
      const evidence = quotes.map((quote, index) => ({
        id: `e${index + 1}`,
        hypothesis: named[Math.min(named.length - 1, index)],
        side: 'for',
        quote,
      }));
      return calling([call(LEDGER, { hypotheses, evidence }, 0)]);
    },
  };
  return model;
}

/** The case with an alert that names a pod of its workload, as alerts of Kubernetes do. */
function withPod(one: Case): Case {
  const labels = one.alert.labels as Record<string, string>;
  const names = one.tools.flatMap(({ name, answers }) => (name === 'kubernetes.pods_get' ? answers : []));
  const pod = names
    .map(({ arguments: args }) => String(args.name))
    .find((name) => name.startsWith(`${labels.app}-`));
  return { ...one, alert: { ...one.alert, labels: { ...labels, ...(pod !== undefined && { pod }) } } };
}

/** The example configuration, which collects as the packs do. */
function configOf(rules: 'fact' | 'off') {
  const config = loadSessionConfig(join(FOLDER, 'config'), EXTENSION_NAMES);
  const labelled = (...names: string[]) =>
    JSON.stringify(
      Object.fromEntries(names.map((name) => [name === 'pod' ? 'name' : name, `\${labels.${name}}`])),
    );
  const collect = [
    { tool: 'kubernetes.pods_list_in_namespace', arguments: labelled('namespace') },
    { tool: 'kubernetes.pods_get', arguments: labelled('namespace', 'pod') },
    { tool: 'kubernetes.events_list', arguments: labelled('namespace') },
  ];
  const chains = Object.entries(config.chains).map(([name, chain]) => {
    const stages = chain.stages.map((stage) => ({
      ...stage,
      agents: stage.agents.map((agent) => ({ ...agent, collect })),
    }));
    return [name, { ...chain, rules, stages }];
  });
  return { ...config, chains: Object.fromEntries(chains) };
}

/** A case in an arm. */
interface Run {
  name: string;
  arm: Arm;
}

/** Plays a case in an arm. */
async function play({ name, arm }: Run, reader: Reader, rules: 'fact' | 'off') {
  const truth = readTruth(FOLDER, name);
  const one = withPod(readCase(FOLDER, name));
  const llm = modelOf(reader, truth);
  const tools = toolsOfArm(one, truth, arm);
  const options = { tools, seed: name, signal: new AbortController().signal, config: configOf(rules), llm };
  const run = await runCase(one, options);
  const of = { model: '', case: name, arm, repeat: 1 };
  return { ...scoreRun(run, truth, of, { seconds: 0, usd: null }), hasFact: llm.facts > 0 };
}

const written = readFileSync('docs/evaluation.md', 'utf8');
it.runIf(IS_FULL)(
  'rules give facts by default only if no model is wrong more often with them, and docs/evaluation.md has the figures',
  async () => {
    const runs = caseNames(FOLDER).flatMap((name) =>
      ARMS.filter((arm) => hasArm(readTruth(FOLDER, name), arm)).map((arm) => ({ name, arm })),
    );
    const found: Run[] = [];
    for (const one of runs) if ((await play(one, right, 'fact')).hasFact) found.push(one);
    const rows = [`${found.length} of ${runs.length} sessions`];
    let isHarmless = true;
    for (const [name, reader] of Object.entries(READERS)) {
      const sums = { off: [0, 0, 0], fact: [0, 0, 0] };
      for (const one of found)
        for (const rules of ['off', 'fact'] as const) {
          const { right: isRight, abstained, falseConfirmed } = await play(one, reader, rules);
          const counted = [isRight, !isRight && !abstained, falseConfirmed];
          sums[rules] = sums[rules].map((sum, index) => sum + Number(counted[index]));
        }
      isHarmless &&= [1, 2].every((index) => (sums.fact[index] ?? 0) <= (sums.off[index] ?? 0));
      rows.push(`| ${[name, ...sums.off, ...sums.fact].join(' | ')} |`);
    }
    expect(DEFAULT_RULES).toBe(isHarmless ? 'fact' : 'off');
    expect(rows.filter((row) => !written.includes(row))).toEqual([]);
  },
  300_000,
);
