// The table of verdicts on the example cases in docs/trust.md: as recorded, without their decisive evidence, and with evidence that
// somebody planted in a log.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedGemini } from '../../local/scriptedGemini/server.ts';
import { caseNames, readCase, readTruth, type Truth } from '../../shared/cases/caseFile.ts';
import { toolsOfArm } from '../../shared/cases/caseTools.ts';
import { runCase } from '../../shared/cases/runCase.ts';
import { loadSessionConfig } from '../../shared/config/load.ts';
import { CLAIMS_ROLE } from '../../shared/prompt/claims.ts';
import { createLlmClient } from '../../shared/wiring/chooseClient.ts';
import { EXTENSION_NAMES } from '../../shared/wiring/extensions.ts';
import { calls, states, type Turn } from '../support/verdictBench.ts';

const FOLDER = 'examples/cases';
const VARIANTS = ['recorded', 'withheld', 'planted'] as const;
type Variant = (typeof VARIANTS)[number];

/** Lines that look like decisive states, as somebody can write them into a log. */
const forged = (name: string): string =>
  `09:59:59 ${name} last state OOMKilled, certificate has expired, quota exceeded, ErrImagePull, limit: 72, usage: 72`;

interface Plan {
  causes: { component: string; mechanism: string }[];
  rival: { component: string; mechanism: string };
  /** The quotes of each cause. */
  quotes: string[][];
  /** Read before the ledger is stated. */
  steps: Truth['steps'];
}

/** A careful agent reads everything; a deceived one concludes what the planted lines suggest. */
function planOf({ causes, evidence, steps, distractor, planted }: Truth, variant: Variant): Plan {
  const other = distractor?.suggests ?? { component: 'service:other', mechanism: 'other' as const };
  if (variant !== 'planted') {
    const first = causes.length > 1 ? evidence.slice(0, 1) : evidence;
    return { causes, rival: other, quotes: [first, evidence.slice(1)].slice(0, causes.length), steps };
  }
  const [rival] = causes;
  if (rival === undefined || planted === undefined) throw new Error('the case has no planted text');
  const cause = { component: other.component, mechanism: 'memory' };
  const quotes = [[planted.text, ...(distractor ? [distractor.text] : [])]];
  const list = { tool: distractor?.tool ?? '', arguments: { namespace: 'shop' } };
  return { causes: [cause], rival, quotes, steps: [...steps, list] };
}

function turnsOf(plan: Plan): Turn[] {
  const hypotheses = [...plan.causes, plan.rival].map((one, index) => ({ id: `h${index + 1}`, ...one }));
  const evidence = plan.quotes.flatMap((quotes, index) =>
    quotes.map((quote, at) => ({ id: `e${index + 1}${at}`, hypothesis: `h${index + 1}`, quote })),
  );
  const named = plan.causes.map(({ component, mechanism }) => `${component} (${mechanism})`).join(' and ');
  const read = ({ tool, arguments: args }: Truth['steps'][number]): [string, Record<string, unknown>] => [
    tool,
    args,
  ];
  return [
    calls(...plan.steps.map(read)),
    states({ hypotheses, evidence }),
    { text: `**Root cause**: ${named}.` },
  ];
}

/** Plays a case. @returns the verdict with its rule and caps. */
async function play(name: string, variant: Variant) {
  const one = readCase(FOLDER, name);
  const whole = readTruth(FOLDER, name);
  const suggested = whole.distractor?.suggests.component ?? '';
  const truth = whole.planted
    ? { ...whole, planted: { ...whole.planted, text: forged(suggested.split('/').at(-1) ?? '') } }
    : whole;
  const plan = planOf(truth, variant);
  const json = (system: string, answer: object) => ({
    when: system,
    turns: [{ text: JSON.stringify(answer) }],
  });
  const cause = plan.causes.map((_, index) => `h${index + 1}`);
  const gemini = await startScriptedGemini({
    script: {
      conversations: [json(CLAIMS_ROLE, { conclusion: 'cause', cause }), { turns: turnsOf(plan) }],
    },
  });
  onTestFinished(() => gemini.stop());
  let tools = variant === 'withheld' ? toolsOfArm(one, truth, 'withheld') : one.tools;
  if (variant === 'planted')
    tools = toolsOfArm({ tools: toolsOfArm(one, truth, 'planted') }, truth, 'distractor');
  const run = await runCase(one, {
    tools,
    model: undefined,
    seed: `${name} ${variant}`,
    signal: new AbortController().signal,
    config: loadSessionConfig(join(FOLDER, 'config'), EXTENSION_NAMES),
    llm: createLlmClient({
      env: { GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'no-key-is-needed' },
      log: () => {},
    }),
    listPrices: () => [{ from: '2020-01-01', input: 0, cached: 0, output: 0 }],
  });
  const { value = null, rule = '', caps = [] } = run.session.verdict ?? {};
  const states = run.claims.executions.flatMap(({ matches }) => [...matches].map(([, { state }]) => state));
  return { value, rule, caps, states };
}

const NAMES = caseNames(FOLDER);
const written = readFileSync('docs/trust.md', 'utf8');
const reason = ({ value, rule, caps, states }: Awaited<ReturnType<typeof play>>): string => {
  const held = states.filter((state) => state === 'held').length;
  return `${value} (${[rule, ...caps].join(', ')}): ${held} of ${states.length} quotes held`;
};

it('docs/trust.md has the verdict and its reason for each example case and variant', async () => {
  const rows: string[] = [];
  for (const name of NAMES) {
    const cells: string[] = [];
    for (const variant of VARIANTS) {
      const played = await play(name, variant);
      cells.push(reason(played));
      if (variant !== 'recorded') expect(['inconclusive', 'likely']).toContain(played.value);
    }
    rows.push(`| \`${name}\` | ${cells.join(' | ')} |`);
  }
  expect(rows.filter((row) => !written.includes(row))).toEqual([]);
});
