// The process of a command: what `cli/inquest.js` runs.

import { reportError, runProgram } from './program.ts';

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
const exitCode = await runProgram(process.argv.slice(2));
if (exitCode !== undefined) {
  process.exitCode = exitCode;
  // A call without an answer goes on in the SDKs; it must not hold the process.
  setTimeout(() => process.exit(), 500).unref();
}
