// Preloaded into a command: sends it SIGNAL_AT_PROGRESS at its first progress.

const signal = process.env.SIGNAL_AT_PROGRESS;
const write = process.stderr.write.bind(process.stderr);
let sent = false;

process.stderr.write = (text: string | Uint8Array): boolean => {
  const written = write(text);
  if (!sent && signal !== undefined && /^\w+: \d+ of/.test(String(text))) {
    sent = true;
    process.kill(process.pid, signal);
  }
  return written;
};
