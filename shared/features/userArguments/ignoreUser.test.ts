import { expect, it } from 'vitest';
import { ignoreUser } from './ignoreUser.ts';

it("a user that a model names in a call of a built-in tool is ignored and logged; tools of servers get the model's value", () => {
  const lines: string[] = [];
  const log = { warn: (_: object | string, line?: string) => void lines.push(line ?? '') };
  const call = (name: string, args: object) => ({ callId: name, name, arguments: JSON.stringify(args) });
  const calls = [
    call('ask_agent', { agent_name: 'logs', user_id: 'root' }),
    call('search', { query: 'LOOKUP a' }),
    call('crm.orders', { user_id: 'u-7' }),
  ];
  expect(calls.map((one) => ignoreUser(one, {}, log))).toEqual([
    call('ask_agent', { agent_name: 'logs' }),
    calls[1],
    calls[2],
  ]);
  expect(lines).toEqual(['ask_agent: user_id is ignored; a model chooses no user']);
});
