import { describe, expect, it } from 'vitest';
import { mcpServerConfigSchema } from '../../config/serverConfig.ts';
import { decideToolAccess, findExternalMark } from './toolApproval.ts';

const configOf = (rest: object) =>
  mcpServerConfigSchema.parse({ transport: 'stdio', command: 'server', readOnly: ['get_*'], ...rest });
const hinted = { name: 'show', annotations: { readOnlyHint: true } };
const probe = { tool: 'get_state', happened: 'yes', didNotHappen: 'no' };

describe('by default', () => {
  const config = configOf({});

  it('a tool is offered that configuration lists as read-only', () => {
    expect(decideToolAccess({ name: 'get_logs' }, config)).toEqual({
      kind: 'offered',
      access: { readOnly: true },
    });
  });

  it.each([{ name: 'restart' }, hinted])('no other is, whatever its server hints: %j', (tool) => {
    expect(decideToolAccess(tool, config)).toMatchObject({
      kind: 'withheld',
      reason: expect.stringContaining('readOnly'),
    });
  });
});

it('with trusted hints a tool is read-only, too, that its server hints so', () => {
  const config = configOf({ trustHints: true });
  expect(decideToolAccess(hinted, config)).toEqual({ kind: 'offered', access: { readOnly: true } });
  expect(decideToolAccess({ name: 'restart', annotations: { readOnlyHint: false } }, config).kind).toBe(
    'withheld',
  );
});

describe('with write access', () => {
  const config = configOf({
    access: 'write',
    tools: {
      restart: { approval: 'required', idempotent: 'key' },
      'scale_*': { approval: 'none' },
      'scale_down*': { approval: 'required', probe },
      note: { idempotent: 'key' },
    },
  });

  it.each([
    ['get_logs', { readOnly: true }],
    ['restart', { readOnly: false, waits: 'person', recovery: 'repeat' }],
    ['scale_up', { readOnly: false }],
    ['scale_down', { readOnly: false, waits: 'person', recovery: 'probe' }],
  ])('%s is offered as the closest pattern demands', (name, access) => {
    expect(decideToolAccess({ name }, config)).toEqual({ kind: 'offered', access });
  });

  it.each(['delete', 'note'])('%s is not, because no pattern sets its approval', (name) => {
    expect(decideToolAccess({ name }, config)).toMatchObject({
      kind: 'withheld',
      reason: expect.stringContaining('approval: required or approval: none'),
    });
  });
});

describe('a tool reaches outside', () => {
  const open = { annotations: { openWorldHint: true } };

  it.each([
    ['as far as its server hints', {}, open, 'hinted'],
    ['not where its server is silent: the default of the hint says nothing', {}, {}, undefined],
    ['whatever the configuration says of its server', { reaches: 'outside' }, {}, 'outside'],
    [
      'not where the configuration says so, whatever its server hints',
      { reaches: 'inside' },
      open,
      undefined,
    ],
  ] as const)('%s', (_, config, tool, reach) => {
    expect(findExternalMark(tool, config)).toBe(reach);
  });
});
