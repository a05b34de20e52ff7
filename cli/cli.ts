// The commands of `inquest`: those that run the system on this machine, those that work on a running one, and those for what is deployed.

import { Command, CommanderError } from 'commander';
import { errorMessage } from '../shared/errors.ts';
import { registerApprovals } from './approvals.ts';
import { registerBuild } from './build.ts';
import { registerCancel } from './cancel.ts';
import { registerCheckConfig } from './checkConfig.ts';
import { registerDb } from './db.ts';
import { registerDemo } from './demo.ts';
import { Interrupted } from './interrupt.ts';
import { registerMigrate } from './migrate.ts';
import { registerPublish } from './publish.ts';
import { registerStart } from './start.ts';
import { EXIT_CODES, UsageError } from './usageError.ts';

const program = new Command('inquest')
  .description('Investigates alerts with Gemini agents, on Pub/Sub, Cloud Run functions and Firestore.')
  .showHelpAfterError()
  .exitOverride()
  .addHelpText('after', `\n\`inquest help COMMAND\` explains a command.${EXIT_CODES}`);
registerDemo(program);
registerStart(program);
registerPublish(program);
registerCancel(program);
registerApprovals(program);
registerCheckConfig(program);
registerDb(program);
registerMigrate(program);
registerBuild(program);

// Google's SDKs leave some of their failures unhandled: missing credentials, for one.
process.once('unhandledRejection', (error) => {
  reportError(error);
  process.exit(1);
});
// What reads the output may have seen enough: `… | head`.
process.stdout.once('error', (error) => {
  if ('code' in error && error.code === 'EPIPE') process.exit();
  throw error;
});
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportError(error);
  // A call without an answer goes on in the SDKs; it must not hold the process.
  setTimeout(() => process.exit(), 500).unref();
}

/** Says what went wrong, unless that was said before, and gives the exit code. */
function reportError(error: unknown): number {
  if (error instanceof Interrupted) return error.exitCode;
  // Its message is written, and its code is 0 where help was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  console.error(process.env.DEBUG ? error : `inquest: ${errorMessage(error)}`);
  return error instanceof UsageError ? 2 : 1;
}
