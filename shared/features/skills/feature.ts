// Skills: an agent loads instructions that the team wrote for one kind of work, when it needs them.

import { isSkillTool, LOAD_SKILL, skillTool } from '../../core/contract/skills.ts';
import type { ToolDefinition, ToolResult } from '../../core/contract/tools.ts';
import type { Feature, ToolUse } from '../../core/kernel/feature/feature.ts';
import { failedResult } from '../../core/kernel/state/callResult.ts';
import type { AgentTools } from '../../core/kernel/tools/agentTools.ts';
import { loadSkillTool, noToolLeft, outsideSkill } from '../../core/prompts/skills.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { asText } from '../../text/json.ts';
import { allowsTool, loadedSkills, refusingSkill } from './loadedSkills.ts';

/**
 * Offers the agent's skills as one tool, `load_skill`. Calls of tools of servers that a loaded skill does not
 * allow are answered with an error; the list of tools stays the same, so that providers keep the start of the
 * prompt.
 */
export const SKILLS_FEATURE: Feature = {
  offerTools(tools, _context, use) {
    const listed = tools.list();
    const skills = listed.filter(({ name }) => isSkillTool(name));
    if (skills.length === 0) return tools;
    const others = listed.filter(({ name }) => !isSkillTool(name));
    return use.purpose === 'ask' || use.purpose === 'run'
      ? withSkills(tools, { skills, others }, use)
      : { ...tools, list: () => others };
  },
  answerCalls(calls, { known, conversation }) {
    const loaded = loadedSkills(conversation);
    if (loaded.length === 0) return [];
    return calls.flatMap((call): ToolResult[] => {
      const skill = known.has(call.callId) ? undefined : refusingSkill(call.name, loaded);
      return skill === undefined ? [] : [failedResult(call, outsideSkill(call.name, skill))];
    });
  },
};

function withSkills(
  tools: AgentTools,
  { skills, others }: Record<'skills' | 'others', readonly ToolDefinition[]>,
  { conversation }: ToolUse,
): AgentTools {
  const list = [...others, loadSkillTool(skills)];
  return {
    ...tools,
    list: () => list,
    async execute(call, options) {
      if (call.name !== LOAD_SKILL) return tools.execute(call, options);
      const name = asText(parseCallArguments(call.arguments).name) ?? '';
      const result = await tools.execute({ ...call, name: skillTool(name), arguments: '{}' }, options);
      const loaded = loadedSkills(conversation).filter((skill) => skill.name !== name);
      const all = [...loaded, { name, result: result.content }];
      const leavesATool = others.length === 0 || others.some((tool) => allowsTool(tool.name, all));
      if (result.isError || leavesATool) return { ...result, name: LOAD_SKILL, yields: 'state' };
      const names = loaded.map((skill) => skill.name);
      return failedResult(call, noToolLeft(name, names));
    },
  };
}
