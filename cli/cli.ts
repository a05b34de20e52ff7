// The commands of `inquest`: those that run the system on this machine, those that work on a running one, and the build.

import { Command } from 'commander';
import { errorMessage } from '../shared/errors.ts';
import { registerBuild } from './build.ts';
import { registerCancel } from './cancel.ts';
import { registerDemo } from './demo.ts';
import { registerMigrate } from './migrate.ts';
import { registerPublish } from './publish.ts';
import { registerStart } from './start.ts';

const program = new Command('inquest')
  .description('Investigates alerts with Gemini agents, on Pub/Sub, Cloud Run functions and Firestore.')
  .showHelpAfterError()
  .addHelpText('after', '\n`inquest help COMMAND` explains a command.');
registerDemo(program);
registerStart(program);
registerPublish(program);
registerCancel(program);
registerMigrate(program);
registerBuild(program);

const reportError = (error: unknown) =>
  console.error(process.env.DEBUG ? error : `inquest: ${errorMessage(error)}`);
// Google's SDKs leave some of their failures unhandled: missing credentials, for one.
process.once('unhandledRejection', (error) => {
  reportError(error);
  process.exit(1);
});
try {
  await program.parseAsync();
} catch (error) {
  reportError(error);
  process.exitCode = 1;
  // A call without an answer goes on in the SDKs; it must not hold the process.
  setTimeout(() => process.exit(), 500).unref();
}
