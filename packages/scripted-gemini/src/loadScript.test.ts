import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadScript, parseScript, ScriptError } from './loadScript.ts';

const faultOf = (text: string): string => {
  try {
    parseScript(text, 'demo.yaml');
  } catch (error) {
    if (error instanceof ScriptError) return error.message;
    throw error;
  }
  throw new Error('the script was accepted');
};

describe('a script', () => {
  it('is read from YAML', () => {
    const script = parseScript(
      'conversations:\n  - when: expert\n    turns:\n      - toolCalls: [{ name: k8s__get }]\n',
      'demo.yaml',
    );
    expect(script.conversations[0]).toEqual({
      when: { system: 'expert' },
      turns: [{ toolCalls: [{ name: 'k8s__get', args: {} }] }],
    });
  });

  it('is read from JSON', () => {
    const script = parseScript('{"conversations": [{"turns": [{"text": "hello"}]}]}', 'demo.json');
    expect(script.conversations[0]?.turns).toEqual([{ text: 'hello' }]);
  });

  it('is read from a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'script-'));
    try {
      const file = join(folder, 'script.yaml');
      await writeFile(file, 'conversations: [{ turns: [{ text: hello }] }]');
      expect((await loadScript(file)).conversations).toHaveLength(1);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('that is not there is refused by name', async () => {
    await expect(loadScript('/nowhere/script.yaml')).rejects.toThrow(
      /^\/nowhere\/script.yaml cannot be read: /,
    );
  });

  it('like the one that explains the format is valid', async () => {
    const source = await readFile(new URL('script.ts', import.meta.url), 'utf8');
    const example = source.match(/^\/\/ {3}.*$/gm)?.map((line) => line.slice(5)) ?? [];
    const [conversation] = parseScript(example.join('\n'), 'script.ts').conversations;
    expect(conversation?.turns).toHaveLength(2);
    expect(conversation?.conclusion?.text).toContain('memory limit is too small');
  });

  it('given as an object is checked too', async () => {
    await expect(loadScript({ conversations: [] })).rejects.toThrow(
      'script conversations: Too small: expected array to have >=1 items',
    );
  });
});

describe('a fault of a script is reported with file, line, column and the expected form', () => {
  it('in the syntax', () => {
    expect(faultOf('conversations:\n  - turns: [\n')).toMatch(/^demo.yaml:3:1 not valid YAML: /);
  });

  it('for an unknown key', () => {
    expect(faultOf('conversations:\n  - turns:\n      - text: hi\n        tools: []\n')).toMatch(
      /^demo.yaml:4:9 conversations\[0\].turns\[0\].tools: unknown key; expected one of .*did you mean "toolCalls"/,
    );
  });

  it('for each of several keys and values, in one line', () => {
    expect(
      faultOf('models: []\nconversations: [{ turns: [{ text: a }], zzz: 1, turn: 2 }]\n').split('\n'),
    ).toEqual([
      'demo.yaml:1:9 models: Too small: expected array to have >=1 items',
      'demo.yaml:2:41 conversations[0].zzz: unknown key; expected one of name, when, turns, conclusion',
      'demo.yaml:2:49 conversations[0].turn: unknown key; expected one of name, when, turns, conclusion; did you mean "turns"?',
    ]);
  });

  it('for references that expand to very much', () => {
    const list = (name: string, of: string) => `${name}: &${name} [${Array(12).fill(of).join(', ')}]\n`;
    expect(faultOf(`${list('a', 'x')}${list('b', '*a')}${list('c', '*b')}`)).toMatch(
      /^demo.yaml not valid YAML: Excessive alias count/,
    );
  });

  it('for a value of the wrong kind', () => {
    expect(faultOf('conversations:\n  - turns:\n      - text: hi\n        delayMs: soon\n')).toBe(
      'demo.yaml:4:18 conversations[0].turns[0].delayMs: expected number, received string',
    );
  });

  it('for a failure of two kinds', () => {
    expect(
      faultOf('conversations:\n  - turns:\n      - failures:\n          - { cut: true, hang: true }\n'),
    ).toBe(
      'demo.yaml:4:13 conversations[0].turns[0].failures[0]: must have exactly one of status, cut, empty, hang, midStreamError, blockReason',
    );
  });

  it('for a turn without an answer', () => {
    expect(faultOf('conversations:\n  - turns:\n      - delayMs: 5\n')).toBe(
      'demo.yaml:3:9 conversations[0].turns[0]: must have one of thinking, codeExecutions, text, grounding, toolCalls, finishReason, chunks, failures',
    );
  });

  it('for a turn of chunks with shorthand beside them', () => {
    expect(faultOf('conversations:\n  - turns:\n      - { text: hi, chunks: [{}] }\n')).toContain(
      'demo.yaml:3:9 conversations[0].turns[0]: has chunks, so it can have none of',
    );
  });

  it('for a script without conversations', () => {
    expect(faultOf('models: [gemini-3.8-flash]\n')).toContain(
      'demo.yaml:1:1 conversations: expected array, received undefined',
    );
  });

  it('for an empty file', () => {
    expect(faultOf('')).toBe('demo.yaml:1:1 expected object, received null');
  });
});
