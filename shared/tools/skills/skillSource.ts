// The tool source of the skills: one tool for each skill, whose call returns the text. Pins detect a changed
// text by its digest, which is bound like a parameter.

import { createHash } from 'node:crypto';
import { SKILLS, type Skill, skillResult, skillTool } from '../../core/contract/skills.ts';
import type { ToolDefinition, ToolSource } from '../../core/contract/tools.ts';
import { memoized } from '../../text/memo.ts';

/** Above the limit of a skill's file: a skill is shown whole, whatever the limit of the agent. */
const MAX_RESULT_BYTES = 100_000;

/** The source of these skills, which can grow; agents name single ones: `skills.full-disk`. */
export function skillSource(skills: Iterable<Skill>): ToolSource {
  return {
    name: SKILLS,
    connect() {
      const byTool = new Map([...skills].map((skill) => [skillTool(skill.name), skill]));
      return Promise.resolve({
        tools: [...byTool.values()].map(defineTool),
        results: { maxBytes: MAX_RESULT_BYTES },
        call({ name }, { signal }) {
          signal.throwIfAborted();
          const skill = byTool.get(name);
          const isError = skill === undefined;
          const content = isError ? `There is no skill "${name}".` : skillResult(skill);
          return Promise.resolve({ content, isError, timedOut: false });
        },
        close: () => Promise.resolve(),
      });
    },
  };
}

const defineTool = memoized((skill: Skill): ToolDefinition => {
  const digest = createHash('sha256').update(skillResult(skill)).digest('hex').slice(0, 16);
  return {
    name: skillTool(skill.name),
    description: skill.description,
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    bound: { digest },
    readOnly: true,
    neutral: true,
  };
});
