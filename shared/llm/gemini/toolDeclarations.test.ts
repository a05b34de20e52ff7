import { describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../../core/contract/tools.ts';
import { toolDeclarations, undeclarableTools } from './toolDeclarations.ts';

const tool = (name: string, inputSchema: ToolDefinition['inputSchema'] = {}): ToolDefinition => ({
  name,
  description: 'Reads logs',
  inputSchema,
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

  it('leaves out a tool that cannot be called, with the reason, and declares the others', () => {
    const properties = { 'x-api-key': { type: 'string' } };
    const odd = tool('odd.get', { type: 'object', properties, required: ['x-api-key'] });
    const tools = [odd, tool('k8s.logs'), tool('odd.list', { type: 'object', properties })];
    expect(toolDeclarations(tools).map(({ name }) => name)).toEqual(['k8s__logs', 'odd__list']);
    expect(undeclarableTools(tools)).toEqual([{ name: 'odd.get', properties: ['x-api-key'] }]);
  });

  it('takes 512 tools and refuses one more, with the remedy', () => {
    const tools = Array.from({ length: 513 }, (_, index) => tool(`k8s.t${index}`));
    expect(toolDeclarations(tools.slice(1))).toHaveLength(512);
    expect(() => toolDeclarations(tools)).toThrow(/513.*512.*name single tools/);
  });
});
