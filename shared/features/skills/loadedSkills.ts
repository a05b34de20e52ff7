// The skills that an agent has loaded, read from its conversation, and the calls that they allow. Pure.

import type { ConversationMessage } from '../../core/contract/llm.ts';
import { LOAD_SKILL, limitsOfSkill } from '../../core/contract/skills.ts';
import { innerCall } from '../../core/prompts/toolSearch.ts';
import { isOwnCall } from '../../core/schema/block.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { incrementalFold } from '../../text/incrementalFold.ts';
import { asText } from '../../text/json.ts';
import { matchesAny } from '../../text/pattern.ts';

interface LoadedSkill {
  /** Its name. */
  name: string;
  /** The whole result of loading it. */
  result: string;
}

/** The loaded skills, in order. Their results have what they allow, whatever is configured today. */
export function loadedSkills(conversation: readonly ConversationMessage[]): readonly LoadedSkill[] {
  return readSkills(conversation).loaded;
}

const readSkills = incrementalFold(
  () => ({ asked: new Map<string, string>(), loaded: [] as LoadedSkill[] }),
  ({ asked, loaded }, { blocks }: ConversationMessage) => {
    for (const block of blocks) {
      if (isOwnCall(block)) {
        const call = innerCall({ name: block.toolName, arguments: block.input });
        if (call.name === LOAD_SKILL)
          asked.set(block.toolUseId, asText(parseCallArguments(call.arguments).name) ?? '');
      } else if (block.blockType === 'tool_result' && block.toolName === LOAD_SKILL) {
        const name = block.isError || block.noAnswer ? undefined : asked.get(block.toolUseId);
        if (name !== undefined) loaded.push({ name, result: block.textContent });
      }
    }
  },
);

/** The first loaded skill that does not allow a tool; undefined if all do. Built-in tools are allowed. */
export function refusingSkill(tool: string, loaded: readonly LoadedSkill[]): string | undefined {
  const [server = '', ...rest] = tool.split('.');
  if (rest.length === 0) return undefined;
  return loaded.find(({ result }) => {
    const allowed = limitsOfSkill(result);
    return allowed !== undefined && !allowed.includes(server) && !matchesAny(tool, allowed);
  })?.name;
}

/** Whether all of them allow a tool. */
export function allowsTool(tool: string, loaded: readonly LoadedSkill[]): boolean {
  return refusingSkill(tool, loaded) === undefined;
}
