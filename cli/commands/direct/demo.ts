// `demo`: runs the system on this machine with an example, investigates its alert, and stops the system.

import type { Command } from 'commander';
import pc from 'picocolors';
import { DEFAULT_EXAMPLE, type Example, exampleNames } from '../../../local/examples.ts';
import { readAlertInput } from '../../alert/alertInput.ts';
import { answerJson, answerLines } from '../../alert/answer.ts';
import { type Following, followAnswer, sendAlert, storeQuestion } from '../../alert/sendAlert.ts';
import { withApi } from '../../api/withApi.ts';
import { pushFiles } from '../../knowledge/pushFiles.ts';
import { jsonPrinter, type Printer, textPrinter } from '../../print/printer.ts';
import type { Terminal } from '../../process/ask.ts';
import { interruptSignal, STOP_DEADLINE_MS, untilAborted } from '../../process/interrupt.ts';
import { hasColor, write } from '../../process/output.ts';
import { openSystem, requireExample, withLocalOptions } from '../../system/openSystem.ts';
import { commandHere, type DemoOptions, demoProject } from './demoOptions.ts';
import { MONITORED_EXAMPLE, runMonitoredDemo } from './demoPrometheus.ts';

/** The steps of a person after the demo. */
const NEXT_STEPS = [
  '',
  'Next:',
  '  npx --no inquest init my-config   writes a configuration for your own alerts and systems, and checks it',
  '  npx --no inquest start            runs the system with its page, on this example until you have your own',
];

/** Adds the command to the program. */
export function registerDemo(program: Command): void {
  const command = program
    .command('demo')
    .argument(
      '[example]',
      `a folder of examples/: ${[...exampleNames(), MONITORED_EXAMPLE].join(', ')}`,
      DEFAULT_EXAMPLE,
    )
    .option('--json', 'print the timeline as lines of JSON')
    .option('--verbose', "print the functions' logs, too, on standard error")
    .option('--keep', 'keep the system running afterwards, until Ctrl-C')
    .action(runDemo);
  withLocalOptions(
    command,
    'the project (default: demo-inquest); on emulators that run\n' +
      '                           already, demo uses a separate project, and deletes its subscriptions',
  );
}

async function runDemo(name: string, options: DemoOptions): Promise<void> {
  if (name === MONITORED_EXAMPLE) return runMonitoredDemo(options);
  return investigateExample(requireExample(name), options);
}

/** Runs the system on this machine, investigates the alert of an example, and stops the system. */
export async function investigateExample(example: Example, options: DemoOptions): Promise<void> {
  const interrupted = interruptSignal({ deadlineMs: STOP_DEADLINE_MS });
  const colors = pc.createColors(hasColor(process.stderr, process.env));
  const onProgress = (line: string) => process.stderr.write(`${colors.dim(line)}\n`);
  const printer = options.json
    ? jsonPrinter(write)
    : textPrinter(write, hasColor(process.stdout, process.env), commandHere, process.stdout.columns);

  const { signal, model, configFolder, stop } = await openSystem({
    ...options,
    ...demoProject(process.env),
    example,
    onProgress,
    verbose: options.verbose === true,
    signal: interrupted,
  });
  try {
    if (example.knowledgeFiles.length > 0) {
      await pushFiles(example.knowledgeFiles, { ...process.env, ...model.env });
      onProgress(`knowledge base: ${example.knowledgeFiles.length} entries`);
    }
    const input = await readAlertInput(example.alertFile);
    const later = await Promise.all(example.laterFiles.map((file) => readAlertInput(file)));
    await withApi({ config: configFolder, publishes: true, signal }, async (api) => {
      const following = { api, printer, onProgress, signal, terminal: openDemoTerminal(options) };
      const session = await sendAlert(input, { later }, following);
      const isCompleted = session?.status === 'completed';
      // Another script has no answers to the questions of the example.
      const questions = isCompleted && options.script === undefined ? example.questions : [];
      const isAnswered = await askAll(session?.sessionId, questions, { ...following, ...options });
      process.exitCode = isCompleted && isAnswered ? 0 : 1;
    });
    if (!options.keep && options.json !== true) NEXT_STEPS.forEach(onProgress);
    if (options.keep) {
      onProgress('Everything keeps running. Ctrl-C stops it.');
      await untilAborted(signal);
    }
  } finally {
    await stop();
  }
}

/** Asks questions about a session, and prints the answers. Returns whether all were answered. */
async function askAll(
  sessionId: string | undefined,
  questions: string[],
  following: Following & { printer: Printer; json?: boolean },
): Promise<boolean> {
  for (const text of questions) {
    const question = await storeQuestion(text, { sessionId }, following);
    if (!following.json) write('');
    const answer = await followAnswer(question, following);
    for (const line of following.json ? [answerJson(answer)] : answerLines(answer)) write(line);
    if (answer.status !== 'completed') return false;
  }
  return true;
}

/** The terminal, if it is interactive and the output is text. */
function openDemoTerminal({ json }: DemoOptions): Terminal | undefined {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY && json !== true;
  return isTerminal ? { input: process.stdin, output: process.stdout } : undefined;
}
