import { expect, it } from 'vitest';
import { mcpServerConfigSchema } from '../../config/serverConfig.ts';
import { plainSchema } from '../../text/schema/plainSchema.ts';
import { createOffers } from './offeredTools.ts';

const configOf = (settings: object = {}) =>
  mcpServerConfigSchema.parse({
    transport: 'http',
    url: 'http://localhost/mcp',
    readOnly: ['*'],
    ...settings,
  });
const listOf = (...tools: { name: string; inputSchema: object }[]) => ({
  tools: tools.map((tool) => ({ ...tool, inputSchema: { type: 'object' as const, ...tool.inputSchema } })),
  refused: [],
});
/** Each definition names the next one twice: a few lines that are thousands when they are written out. */
const doubling = {
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => {
      const next = { $ref: `#/$defs/d${n + 1}` };
      return [`d${n}`, { type: 'object', properties: { a: next, b: next } }];
    }),
  ),
};

it('the offered part of a list is the same for every connection', () => {
  const offers = createOffers('k8s', configOf());
  const list = listOf({ name: 'get', inputSchema: {} });
  expect(offers(list, undefined)).toBe(offers(list, { namespace: 'shop' }));
  expect(offers(structuredClone(list), undefined)).not.toBe(offers(list, undefined));
});

it('a bound parameter differs by the alert, the rest of the schema does not', () => {
  const offers = createOffers('k8s', configOf({ arguments: { namespace: '$' + '{labels.namespace}' } }));
  const list = listOf({ name: 'get', inputSchema: { properties: { namespace: {}, pod: {} } } });
  const [shop] = offers(list, { namespace: 'shop' }).tools;
  const [bank] = offers(list, { namespace: 'bank' }).tools;
  expect([shop?.bound, bank?.bound]).toEqual([{ namespace: 'shop' }, { namespace: 'bank' }]);
  expect(shop?.inputSchema).toBe(bank?.inputSchema);
  expect(shop?.inputSchema.properties).toEqual({ pod: {} });
});

it('parameters are written out once, and by then there is a limit for all tools of the server', () => {
  const names = Array.from({ length: 300 }, (_, n) => `get_${n}`);
  const list = listOf(
    { name: 'get_first', inputSchema: { properties: { pod: { type: 'string' } } } },
    // Bound, so that every alert has an offer of its own.
    { name: 'list', inputSchema: { properties: { namespace: {} } } },
    ...names.map((name) => ({ name, inputSchema: structuredClone(doubling) })),
  );
  const offers = createOffers('k8s', configOf({ arguments: { namespace: 'shop' }, readOnly: ['*'] }));
  const { tools, withheld } = offers(list, { a: '1' });
  expect(tools[0]?.name).toBe('k8s.get_first');
  expect(tools.length).toBeLessThan(10);
  expect(withheld).toHaveLength(302 - tools.length);
  expect(withheld[0]?.reason).toMatch(/with all references written out, take more than 10000 steps/);
  const again = offers(list, { a: '2' });
  expect(again.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  for (const { inputSchema } of tools) expect(plainSchema(inputSchema)).toBe(plainSchema(inputSchema));
});

it('a tool that costs is marked, read-only or not', () => {
  const tools = { 'query_*': { costs: true as const } };
  const list = listOf({ name: 'query_logs', inputSchema: {} }, { name: 'get', inputSchema: {} });
  const offered = createOffers('bq', configOf({ readOnly: ['*'], tools }))(list, undefined).tools;
  expect(offered.map(({ costs }) => costs)).toEqual([true, undefined]);
});

it('tools that pass a limit are withheld, under their full names', () => {
  const refused = [{ name: 'wide', reason: 'its parameters have more than 2000 properties' }];
  expect(createOffers('k8s', configOf())({ tools: [], refused }, undefined).withheld).toEqual([
    { name: 'k8s.wide', reason: 'its parameters have more than 2000 properties' },
  ]);
});
