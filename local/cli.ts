// The commands of one machine: start, demo, publish.

import { Command } from 'commander';
import { errorMessage } from '../shared/errors.ts';
import { registerDemo } from './cli/demo.ts';
import { registerPublish } from './cli/publish.ts';
import { registerStart } from './cli/start.ts';

const program = new Command('inquest')
  .description('Investigates alerts with Gemini agents, on Pub/Sub, Cloud Run functions and Firestore.')
  .showHelpAfterError();
registerDemo(program);
registerStart(program);
registerPublish(program);

try {
  await program.parseAsync();
} catch (error) {
  console.error(process.env.DEBUG ? error : `inquest: ${errorMessage(error)}`);
  process.exitCode = 1;
}
