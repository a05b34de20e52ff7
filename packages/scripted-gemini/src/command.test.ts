import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { GoogleGenAI } from '@google/genai';
import { expect, it, onTestFinished } from 'vitest';
import { MODEL, serve } from './serve.fixture.ts';

const LAUNCHER = fileURLToPath(new URL('../bin/scripted-gemini.js', import.meta.url));
const SCRIPT = 'conversations: [{ turns: [{ text: hello }] }]';

function startCommand(...args: string[]) {
  const command = spawn(process.execPath, [LAUNCHER, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void command.kill('SIGKILL'));
  return command;
}

function scriptFile(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'script-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'script.yaml');
  writeFileSync(file, content);
  return file;
}

it('prints the variables that connect a client, and ends at Ctrl-C', async () => {
  const command = startCommand('--port', '0', scriptFile(SCRIPT));
  const variables: Record<string, string> = {};
  for await (const line of createInterface(command.stdout)) {
    const [, name = '', value = ''] = /^export (\w+)=(.*)$/.exec(line) ?? [];
    variables[name] = value;
    if (name === 'GEMINI_API_KEY') break;
  }
  const { GEMINI_API_KEY: apiKey = '', GOOGLE_GEMINI_BASE_URL: baseUrl = '' } = variables;
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl } });
  const answer = await client.models.generateContent({ model: MODEL, contents: 'hi' });
  expect([answer.text, answer.modelVersion]).toEqual(['hello', `scripted ${MODEL}`]);
  command.kill('SIGINT');
  expect(await once(command, 'exit')).toEqual([0, null]);
});

it('names the place of a fault, and a port that is in use', async () => {
  const { gemini } = await serve({ conversations: [{ turns: [{ text: 'hello' }] }] });
  const failed = async (...args: string[]) => {
    const command = startCommand(...args);
    const message = await text(command.stderr);
    return [command.exitCode ?? (await once(command, 'exit'))[0], message];
  };
  const faulty = scriptFile('conversations: [{ turns: [{ txt: hello }] }]');
  expect(await failed(faulty)).toEqual([
    1,
    expect.stringContaining(`${faulty}:1:29 conversations[0].turns[0].txt: unknown key`),
  ]);
  expect(await failed()).toEqual([2, expect.stringContaining('name the file of one script')]);
  const { port } = new URL(gemini.url);
  expect(await failed('--port', port, scriptFile(SCRIPT))).toEqual([
    1,
    expect.stringContaining('the port is in use'),
  ]);
});
