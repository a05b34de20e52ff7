// The entry module of a command, which `cli/inquest.js` runs.

import { reportError, runProgram } from './program.ts';

// Google's SDKs leave some rejections unhandled, for example for missing credentials.
process.once('unhandledRejection', (error) => {
  reportError(error);
  process.exit(1);
});
// The reader of the output can close the pipe early: `… | head`.
process.stdout.once('error', (error) => {
  if ('code' in error && error.code === 'EPIPE') process.exit();
  throw error;
});
const exitCode = await runProgram(process.argv.slice(2));
if (exitCode !== undefined) {
  process.exitCode = exitCode;
  // An SDK call that is still open must not keep the process alive.
  setTimeout(() => process.exit(), 500).unref();
}
