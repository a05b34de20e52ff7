// The table of verdicts on the example cases in docs/trust.md: as recorded, without their decisive evidence, with a forged log,
// and of agents that quote true lines for a wrong cause.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { conversationsFor, type Statement } from '../../local/scriptedCases.ts';
import { startScriptedGemini } from '../../local/scriptedGemini/server.ts';
import { type Cause, caseNames, readCase, readTruth, type Truth } from '../../shared/cases/caseFile.ts';
import { type Arm, toolsOfArm } from '../../shared/cases/caseTools.ts';
import { runCase } from '../../shared/cases/runCase.ts';
import { loadSessionConfig } from '../../shared/config/load.ts';
import { MECHANISMS } from '../../shared/text/mechanisms.ts';
import { createLlmClient } from '../../shared/wiring/chooseClient.ts';
import { EXTENSION_NAMES } from '../../shared/wiring/extensions.ts';

const FOLDER = 'examples/cases';
const MODEL = 'gemini-3.8-scripted';

/** A line that looks like decisive states, as somebody can write it into a log. */
const forged = (name: string): string =>
  `${name} last state OOMKilled, certificate has expired, quota exceeded, ErrImagePull, limit: 72, usage: 72`;

const LIST = { tool: 'kubernetes.pods_list_in_namespace', arguments: { namespace: 'shop' } };
const EVENTS = { tool: 'kubernetes.events_list', arguments: { namespace: 'shop' } };

/** What an agent makes of a case, and the arms of the case that it gets. */
interface Variant {
  arms: readonly Arm[];
  states: (truth: Truth, mechanism: Cause['mechanism']) => Statement;
}

const of = (component: string | undefined, mechanism: Cause['mechanism']) => [
  { component: component ?? '', mechanism },
];
const VARIANTS: Record<string, Variant> = {
  recorded: {
    arms: ['base'],
    states: ({ causes, evidence, steps }) => ({ causes, quotes: evidence, steps }),
  },
  withheld: {
    arms: ['withheld'],
    states: ({ causes, evidence, steps }) => ({ causes, quotes: evidence, steps }),
  },
  // The component that the distractor suggests, by a forged line.
  planted: {
    arms: ['planted', 'distractor'],
    states: ({ distractor, planted, steps }) => ({
      causes: of(distractor?.suggests.component, 'memory'),
      quotes: [planted?.text ?? '', distractor?.text.split('\n')[4]?.trim() ?? ''],
      steps: [...steps, EVENTS],
    }),
  },
  distractor: {
    arms: ['distractor'],
    states: ({ distractor, evidence, steps }) => ({
      causes: distractor ? [distractor.suggests] : [],
      quotes: [...evidence, distractor?.text.split('\n')[4]?.trim() ?? ''],
      steps: [...steps, EVENTS],
    }),
  },
  // The right component, true lines, and another mechanism.
  wrong: {
    arms: ['base'],
    states: ({ causes, evidence, steps }, mechanism) => ({
      causes: of(causes[0]?.component, mechanism),
      quotes: evidence,
      steps,
    }),
  },
  // The right cause, and true lines that do not speak of it.
  irrelevant: {
    arms: ['withheld'],
    states: ({ causes, steps }) => ({
      causes,
      quotes: ['frontend:9.2.0', 'qosClass: Burstable', '"resultType":"matrix"'],
      steps: [...steps, LIST],
    }),
  },
};
const ATTACKS = Object.keys(VARIANTS).filter((name) => name !== 'recorded');

/** Plays a case. @returns the verdict with its rule and caps, and the states of the quotes. */
async function play(name: string, variant: string, mechanism: Cause['mechanism'] = 'other') {
  const one = readCase(FOLDER, name);
  const { arms, states: statementOf } = VARIANTS[variant] as Variant;
  const whole = readTruth(FOLDER, name);
  const suggested = whole.distractor?.suggests.component.split('/').at(-1) ?? '';
  const truth =
    variant === 'planted' && whole.planted
      ? { ...whole, planted: { ...whole.planted, text: forged(suggested) } }
      : whole;
  const tools = arms.reduce((changed, arm) => toolsOfArm({ tools: changed }, truth, arm), one.tools);
  const conversations = conversationsFor(MODEL, String(one.alert.title), statementOf(truth, mechanism));
  const gemini = await startScriptedGemini({ script: { conversations } });
  onTestFinished(() => gemini.stop());
  const run = await runCase(one, {
    tools,
    model: MODEL,
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

const written = readFileSync('docs/trust.md', 'utf8');
const reason = ({ value, rule, caps, states }: Awaited<ReturnType<typeof play>>): string => {
  const held = states.filter((state) => state === 'held').length;
  return `${value} (${[rule, ...caps].join(', ')}): ${held} of ${states.length} quotes held`;
};

it('docs/trust.md has the verdict and its reason for each example case and variant', async () => {
  const rows: string[] = [];
  for (const name of caseNames(FOLDER)) {
    const cells: string[] = [];
    for (const variant of Object.keys(VARIANTS)) {
      const played = await play(name, variant);
      cells.push(reason(played));
      if (ATTACKS.includes(variant))
        expect(['inconclusive', 'likely'], `${name} ${variant}`).toContain(played.value);
    }
    rows.push(`| \`${name}\` | ${cells.join(' | ')} |`);
  }
  expect(rows.filter((row) => !written.includes(row))).toEqual([]);
});

it.each(caseNames(FOLDER))('no wrong mechanism with the true lines of %s is confirmed', async (name) => {
  const own = readTruth(FOLDER, name).causes.map(({ mechanism }) => mechanism);
  for (const mechanism of MECHANISMS.filter((one) => !own.includes(one))) {
    const { value } = await play(name, 'wrong', mechanism);
    expect(['inconclusive', 'likely'], mechanism).toContain(value);
  }
});
