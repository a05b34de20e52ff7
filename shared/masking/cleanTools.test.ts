import { describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../core/contract/tools.ts';
import { cleanTools } from './cleanTools.ts';
import { createMasker } from './masker.ts';

const SECRET = 'correct-horse-battery-staple';
const masker = createMasker({ known: [SECRET], sessionKey: '0123456789abcdef0123456789abcdef' });
const tool = (rest: Partial<ToolDefinition>): ToolDefinition => ({
  name: 'shop.read',
  description: 'Reads.',
  inputSchema: { type: 'object' },
  readOnly: true,
  ...rest,
});
const clean = async (rest: Partial<ToolDefinition>) => (await cleanTools([tool(rest)], masker))[0];

describe('a description', () => {
  it('of more than 4 kB is cut, and states how much is missing', async () => {
    const cut = (await clean({ description: 'x'.repeat(10_000) }))?.description ?? '';
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(4_096);
    expect(cut).toMatch(/^x{4000,}\n\[\.\.\. \d+ of 10000 bytes left out \.\.\.\]$/);
  });

  it('of 4 kB stays as it is', async () => {
    const description = 'x'.repeat(4_096);
    expect((await clean({ description }))?.description).toBe(description);
  });

  it('is masked before it is cut: no half of a secret is left', async () => {
    const description = `${'x '.repeat(2_012)}${SECRET}${' y'.repeat(100)}`;
    expect((await clean({ description }))?.description).not.toContain(SECRET.slice(0, 8));
  });
});

describe('a schema', () => {
  it('without secrets is the same object, so that it is converted once for all sessions', async () => {
    const inputSchema = {
      type: 'object',
      properties: { pod: { description: 'Its name.', enum: ['a', 'b'] } },
    };
    expect((await clean({ inputSchema }))?.inputSchema).toBe(inputSchema);
  });

  it('with one is a copy without it', async () => {
    const inputSchema = { properties: { pod: { examples: ['web', SECRET], pattern: 'a' } } };
    const cleaned = JSON.stringify((await clean({ inputSchema }))?.inputSchema);
    expect(cleaned).toContain('"examples":["web","[masked:');
    expect(inputSchema.properties.pod.examples[1]).toBe(SECRET);
  });
});

it('a definition is cleaned once for each session, in whatever list it stands', async () => {
  const [one, other] = [tool({}), tool({ name: 'shop.list', description: 'x'.repeat(100_000) })];
  const [first] = await cleanTools([one, other], masker);
  expect((await cleanTools([other, one], masker))[1]).toBe(first);
});

it('takes secrets out of descriptions, of every text of a schema, and of values that parameters are bound to', async () => {
  const inputSchema = {
    title: SECRET,
    properties: { zone: { enum: ['a', SECRET], default: SECRET }, [SECRET]: { const: SECRET } },
  };
  const bound = { cluster: `c-${SECRET}` };
  const cleaned = await clean({ description: `With ${SECRET}`, inputSchema, bound });
  expect(JSON.stringify(cleaned)).not.toContain(SECRET);
  expect(cleaned?.inputSchema).toMatchObject({
    properties: { zone: { enum: ['a', expect.stringContaining('[masked:known')] } },
  });
  expect(cleaned?.bound).toEqual({ cluster: expect.stringContaining('c-[masked:known') });
});

it('shows invisible characters', async () => {
  const description = `\u001b[31mcorrect-horse\u001b[0m-battery-staple\u200b.`;
  expect((await clean({ description }))?.description).toMatch(/^\ufffd\[31m\[masked:known#\w+\]\ufffd\.$/);
});

it('leaves out a tool whose name holds a secret', async () => {
  const tools = [tool({}), tool({ name: `shop.${SECRET}` })];
  expect((await cleanTools(tools, masker)).map(({ name }) => name)).toEqual(['shop.read']);
});
