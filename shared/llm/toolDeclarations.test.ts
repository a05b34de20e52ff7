import { describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../tools/types.ts';
import { toolDeclarations } from './toolDeclarations.ts';

const tool = (name: string): ToolDefinition => ({
  name,
  description: 'Reads logs',
  inputSchema: {},
  readOnly: true,
});

describe('toolDeclarations', () => {
  it('declares a tool under its wire name, with an object as its parameters', () => {
    expect(toolDeclarations([tool('k8s.logs')])).toEqual([
      {
        name: 'k8s__logs',
        description: 'Reads logs',
        parametersJsonSchema: { type: 'object', properties: {} },
      },
    ]);
  });

  it('takes 512 tools and refuses one more, saying what to do', () => {
    const tools = Array.from({ length: 513 }, (_, index) => tool(`k8s.t${index}`));
    expect(toolDeclarations(tools.slice(1))).toHaveLength(512);
    expect(() => toolDeclarations(tools)).toThrow(/513.*512.*name single tools/);
  });
});
