// An agent as the text of agents/NAME.yaml, whichever notation it is written in.

import { stringify } from 'yaml';
import { asArray, asObject } from '../text/json.ts';
import type { Agents } from './agentTypes.ts';

/** The text of an agent that there is: its own, or for one of agents.yaml the same agent as a schema. */
export function agentYaml({ agents, fileOf }: Agents, name: string): string {
  const file = fileOf.get(name);
  if (file === undefined || agents[name]?.schema !== undefined) return file?.text ?? '';
  const { instructions, tools, ...rest } = asObject(asObject(asObject(file.value).agents)[name]);
  const listed = asArray(tools).map((tool) => ({ name: tool }));
  return stringify({
    type: 'object',
    description: instructions,
    json_schema_extra: { kind: 'agent', name, ...(listed.length > 0 && { tools: listed }), ...rest },
  });
}
