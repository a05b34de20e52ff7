import { expect, it } from 'vitest';
import type { ToolDefinition } from '../../contract/tools.ts';
import { createMasker } from '../../masking/masker.ts';
import { cleanTools } from './cleanTools.ts';

const SECRET = 'zebra-quartz-77';
const masker = createMasker({ known: [SECRET] });
const tool = (overrides: Partial<ToolDefinition>): ToolDefinition => ({
  name: 'talk.look',
  description: '',
  inputSchema: { type: 'object' },
  readOnly: true,
  ...overrides,
});

it('takes secrets out of descriptions, of every text of a schema, and of what parameters are bound to', () => {
  const inputSchema = {
    title: SECRET,
    properties: { zone: { enum: ['a', SECRET], default: SECRET }, [SECRET]: { const: SECRET } },
  };
  const bound = { cluster: `c-${SECRET}` };
  const [cleaned] = cleanTools([tool({ description: `With ${SECRET}`, inputSchema, bound })], masker);
  expect(JSON.stringify(cleaned)).not.toContain(SECRET);
  expect(cleaned?.inputSchema).toMatchObject({ properties: { zone: { enum: ['a', '[masked:known]'] } } });
  expect(cleaned?.bound).toEqual({ cluster: 'c-[masked:known]' });
});

it('sees through what cannot be seen, and shows it', () => {
  const description = `\u001b[31mzebra\u001b[0m-quartz-77\u200b.`;
  expect(cleanTools([tool({ description })], masker)[0]?.description).toBe('\ufffd[31m[masked:known]\ufffd.');
});

it('leaves out a tool whose name holds a secret', () => {
  const tools = [tool({}), tool({ name: `talk.${SECRET}` })];
  expect(cleanTools(tools, masker).map(({ name }) => name)).toEqual(['talk.look']);
});
