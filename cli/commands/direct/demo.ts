// `demo`: runs the system on this machine with an example, investigates its alert, and stops the system.

import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import pc from 'picocolors';
import { DEFAULT_EXAMPLE, exampleNames } from '../../../local/examples.ts';
import { usesVertex } from '../../../local/model.ts';
import { projectIdOf } from '../../../shared/environment.ts';
import { createLogger } from '../../../shared/log.ts';
import { knownSecrets } from '../../../shared/masking/knownSecrets.ts';
import { askQuestion } from '../../../shared/runtime/features/chat/askQuestion.ts';
import { systemClock } from '../../../shared/runtime/kernel/deps.ts';
import { createMaskers } from '../../../shared/runtime/kernel/maskers.ts';
import { emulatorOf } from '../../../shared/store/emulator.ts';
import { openCloud } from '../../../shared/wiring/openCloud.ts';
import { readAlertInput } from '../../alert/alertInput.ts';
import { answerJson, answerLines, followAnswer } from '../../alert/answer.ts';
import type { Terminal } from '../../alert/askApproval.ts';
import { sendAlert } from '../../alert/sendAlert.ts';
import { pushFiles } from '../../knowledge/pushFiles.ts';
import { jsonPrinter, type Printer, textPrinter } from '../../print/printer.ts';
import { hasColor } from '../../process/color.ts';
import { interruptSignal, STOP_DEADLINE_MS, untilAborted } from '../../process/interrupt.ts';
import { exampleOf, type LocalOptions, openSystem, withLocalOptions } from '../../system/openSystem.ts';

interface DemoOptions extends LocalOptions {
  json?: boolean;
  verbose?: boolean;
  keep?: boolean;
}

/** Adds the command to the program. */
export function registerDemo(program: Command): void {
  const command = program
    .command('demo')
    .argument('[example]', `a folder of examples/: ${exampleNames().join(', ')}`, DEFAULT_EXAMPLE)
    .option('--json', 'print the timeline as lines of JSON')
    .option('--verbose', "print the functions' logs, too, on standard error")
    .option('--keep', 'keep the system running afterwards, until Ctrl-C')
    .action(demo);
  withLocalOptions(
    command,
    'the project (default: demo-inquest); on emulators that run\n' +
      '                           already, demo uses a separate project, and deletes its subscriptions',
  );
}

async function demo(name: string, options: DemoOptions): Promise<void> {
  const example = exampleOf(name);
  const interrupted = interruptSignal({ deadlineMs: STOP_DEADLINE_MS });
  const colors = pc.createColors(hasColor(process.stderr, process.env));
  const write = (line: string) => process.stdout.write(`${line}\n`);
  const onProgress = (line: string) => process.stderr.write(`${colors.dim(line)}\n`);
  const printer = options.json
    ? jsonPrinter(write)
    : textPrinter(write, hasColor(process.stdout, process.env), commandHere);

  const { signal, model, stop } = await openSystem({
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
    const session = await sendAlert({
      input,
      later,
      printer,
      onProgress,
      signal,
      terminal: terminalOf(options),
    });
    const isCompleted = session?.status === 'completed';
    // Another script has no answers to the questions of the example.
    const questions = isCompleted && options.script === undefined ? example.questions : [];
    const isAnswered = await askAll(session?.sessionId ?? '', questions, {
      printer,
      write,
      signal,
      ...options,
    });
    process.exitCode = isCompleted && isAnswered ? 0 : 1;
    if (options.keep) {
      onProgress('Everything keeps running. Ctrl-C stops it.');
      await untilAborted(signal);
    }
  } finally {
    await stop();
  }
}

/** Asks questions about a session, one after another, and prints the answers. Returns whether all were answered. */
async function askAll(
  sessionId: string,
  questions: string[],
  to: { printer: Printer; write: (line: string) => void; signal: AbortSignal; json?: boolean },
): Promise<boolean> {
  if (questions.length === 0) return true;
  const { store, publisher, close } = openCloud(process.env);
  const log = createLogger({ LOG_LEVEL: 'silent' });
  const maskerFor = createMaskers({ known: knownSecrets(process.env) });
  const deps = { store, publisher, clock: systemClock, log, maskerFor };
  try {
    for (const text of questions) {
      const question = await askQuestion(sessionId, { text, by: userInfo().username }, deps);
      if (question.kind !== 'asked') return false;
      if (!to.json) to.write('');
      const answer = await followAnswer(question, store, to.printer.event, to.signal);
      for (const line of to.json ? [answerJson(answer)] : answerLines(answer)) to.write(line);
      if (answer.status !== 'completed') return false;
    }
    return true;
  } finally {
    if (!to.signal.aborted) await close();
  }
}

/**
 * The project of the demo. Emulators that run already can serve a system in the project of the environment, and the demo must
 * not change its subscriptions. Vertex AI always uses the project of the environment.
 */
function demoProject(env: NodeJS.ProcessEnv): { projectId: string; temporary: boolean } {
  const isShared = emulatorOf('pubsub', env) !== undefined || emulatorOf('firestore', env) !== undefined;
  const temporary = isShared && !usesVertex(env);
  return { projectId: temporary ? `demo-run-${randomUUID().slice(0, 8)}` : projectIdOf(env), temporary };
}

/** The command for another terminal, with the variables that name the system of this demo. */
function commandHere(): string {
  const { FIRESTORE_EMULATOR_HOST, PUBSUB_EMULATOR_HOST, GOOGLE_CLOUD_PROJECT } = process.env;
  const named = { FIRESTORE_EMULATOR_HOST, PUBSUB_EMULATOR_HOST, GOOGLE_CLOUD_PROJECT };
  const variables = Object.entries(named).flatMap(([name, value]) => (value ? [`${name}=${value}`] : []));
  return [...variables, 'npx --no inquest'].join(' ');
}

/** The terminal, if it is interactive and the output is text. */
function terminalOf({ json }: DemoOptions): Terminal | undefined {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY && json !== true;
  return isTerminal ? { input: process.stdin, output: process.stdout } : undefined;
}
