// MCP over the standard streams of a process. The SDK's own transport copies its whole buffer with every
// piece that arrives: a long message leaves a hundred megabytes behind, and reading continues for seconds
// after the limit.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/client';
import type { StdioServerConfig } from '../../contract/mcpServer.ts';
import type { BodyLimit } from '../http/responseLimit.ts';

/** How long a process has to end after the end of its input, and again after SIGTERM; then it is killed. */
const END_MS = 2_000;
const NEWLINE = 0x0a;

type Process = ChildProcessByStdio<Writable, Readable, Readable>;

/** The transport of a process. The SDK recognises it by the names of its fields. */
interface ProcessTransport extends Transport {
  /** Undefined before its start, null after its end. */
  pid: number | null;
  /** The standard error of the process. Null before its start. */
  stderr: Readable | null;
}

/** Limits and callbacks of a transport. */
interface ProcessHooks {
  /** How much of one message is read now. */
  limit: () => BodyLimit;
  /** Called once, when a message is longer: reading stops, and the process is ended. */
  onTooLong: (limit: BodyLimit) => void;
  /** Called with each piece of standard error. */
  onStderr: (text: string) => void;
}

/**
 * A transport that starts the process of a server. It gets the configured environment and that which the SDK
 * deems safe (PATH, HOME, USER, LOGNAME, SHELL, TERM), and a message is a line, as MCP has it; lines that are
 * no JSON are left out.
 */
export async function createProcessTransport(
  config: StdioServerConfig,
  { limit, onTooLong, onStderr }: ProcessHooks,
): Promise<ProcessTransport> {
  const [{ deserializeMessage, serializeMessage, SdkError, SdkErrorCode }, { getDefaultEnvironment }] =
    await Promise.all([import('@modelcontextprotocol/client'), import('@modelcontextprotocol/client/stdio')]);
  let child: Process | undefined;
  let closing: Promise<void> | undefined;

  const receive = (line: string): void => {
    try {
      transport.onmessage?.(deserializeMessage(line));
    } catch (error) {
      if (!(error instanceof SyntaxError)) transport.onerror?.(error as Error);
    }
  };

  const refuse = (running: Process, passed: BodyLimit): void => {
    running.stdout.destroy();
    running.kill();
    onTooLong(passed);
    void transport.close();
  };

  const transport: ProcessTransport = {
    pid: null,
    stderr: null,
    async start() {
      if (closing !== undefined) throw new SdkError(SdkErrorCode.NotConnected, 'Closed before it started');
      const running = spawn(chooseProgram(config), config.args, {
        env: { ...getDefaultEnvironment(), ...config.env },
        stdio: ['pipe', 'pipe', 'pipe'],
        shell: false,
        cwd: config.cwd,
      });
      child = running;
      const report = (error: Error) => transport.onerror?.(error);
      running.on('error', report);
      for (const stream of [running.stdin, running.stdout, running.stderr]) stream.on('error', report);
      running.once('close', () => {
        child = undefined;
        transport.pid = null;
        transport.onclose?.();
      });
      running.stderr.on('data', (chunk: Buffer) => onStderr(chunk.toString()));
      const lines = collectLines();
      running.stdout.on('data', (chunk: Buffer) => {
        const now = limit();
        for (const line of lines.add(chunk)) {
          if (line.length > now.maxBytes) return refuse(running, now);
          receive(line.toString());
        }
        if (lines.waiting() > now.maxBytes) refuse(running, now);
      });
      await once(running, 'spawn');
      transport.pid = running.pid ?? null;
      transport.stderr = running.stderr;
    },
    async send(message) {
      if (child === undefined || closing !== undefined)
        throw new SdkError(SdkErrorCode.NotConnected, 'Not connected');
      if (!child.stdin.write(serializeMessage(message))) await once(child.stdin, 'drain');
    },
    close() {
      closing ??= child === undefined ? Promise.resolve() : endProcess(child);
      return closing;
    },
  };
  return transport;
}

/** Ends the input of a process, then sends SIGTERM, then kills it. */
async function endProcess(child: Process): Promise<void> {
  const closed = once(child, 'close');
  child.stdin.end();
  if (await endsWithin(closed, END_MS)) return;
  child.kill('SIGTERM');
  if (await endsWithin(closed, END_MS)) return;
  child.kill('SIGKILL');
}

async function endsWithin(closed: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms).unref();
  });
  const isClosed = await Promise.race([closed.then(() => true), late]);
  clearTimeout(timer);
  return isClosed;
}

/** Lines of a stream. Each byte is looked at once and copied once. */
function collectLines() {
  let pieces: Buffer[] = [];
  let bytes = 0;
  return {
    /** Bytes of a line that has no end yet. */
    waiting: () => bytes,
    /** The lines that end in the chunk. */
    add(chunk: Buffer): Buffer[] {
      const lines: Buffer[] = [];
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        lines.push(Buffer.concat([...pieces, chunk.subarray(start, end)]));
        [pieces, bytes, start] = [[], 0, end + 1];
      }
      if (start < chunk.length) {
        pieces.push(chunk.subarray(start));
        bytes += chunk.length - start;
      }
      return lines;
    },
  };
}

/** `node` is this process's Node, unless the server has a PATH: the one there can be too old. */
function chooseProgram({ command, env }: StdioServerConfig): string {
  return command === 'node' && env.PATH === undefined ? process.execPath : command;
}
