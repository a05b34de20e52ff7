// An agent as the text of agents/NAME.yaml, whichever notation it is written in.

import { stringify } from 'yaml';
import { asArray, asObject } from '../text/json.ts';
import type { AgentSource } from './config.ts';

/** The text of an agent of the files: its own, or for one of agents.yaml the same agent as a schema. */
export function agentYaml(name: string, { yaml, isSchema }: AgentSource): string {
  if (isSchema) return yaml.text;
  const { instructions, tools, ...rest } = asObject(asObject(asObject(yaml.value).agents)[name]);
  const listed = asArray(tools).map((tool) => ({ name: tool }));
  return stringify({
    type: 'object',
    description: instructions,
    json_schema_extra: { kind: 'agent', name, ...(listed.length > 0 && { tools: listed }), ...rest },
  });
}
