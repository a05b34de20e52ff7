// The commands: those that run the system on one machine, and those that work on one that runs.

import { Command } from 'commander';
import { errorMessage } from '../shared/errors.ts';
import { registerCancel } from './cancel.ts';
import { registerDemo } from './demo.ts';
import { registerMigrate } from './migrate.ts';
import { registerPublish } from './publish.ts';
import { registerStart } from './start.ts';

const program = new Command('inquest')
  .description('Investigates alerts with Gemini agents, on Pub/Sub, Cloud Run functions and Firestore.')
  .showHelpAfterError();
registerDemo(program);
registerStart(program);
registerPublish(program);
registerCancel(program);
registerMigrate(program);

const tell = (error: unknown) => console.error(process.env.DEBUG ? error : `inquest: ${errorMessage(error)}`);
// Google's SDKs leave some of their failures to nobody: missing credentials, for one.
process.once('unhandledRejection', (error) => {
  tell(error);
  process.exit(1);
});
try {
  await program.parseAsync();
} catch (error) {
  tell(error);
  process.exitCode = 1;
  // A call without an answer goes on in the SDKs; it must not hold the process.
  setTimeout(() => process.exit(), 500).unref();
}
