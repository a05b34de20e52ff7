// The texts of skills: the tool that loads one, its result, and the frame around it.

import { frameGuidance } from '../../text/untrustedFrame.ts';
import { LOAD_SKILL, SKILLS } from '../contract/skills.ts';
import type { ToolDefinition } from '../contract/tools.ts';

/**
 * The tool with the names and descriptions of an agent's skills.
 * @param skills tools of the source of skills, sorted by name.
 */
export function loadSkillTool(skills: readonly ToolDefinition[]): ToolDefinition {
  const names = skills.map(({ name }) => name.slice(SKILLS.length + 1));
  const lines = skills.map(({ description }, index) => `- ${names[index]}: ${description}`);
  return {
    name: LOAD_SKILL,
    description: [
      'Loads a skill: instructions that the team wrote for one kind of problem. Load the skill whose description fits before you start such work. The skills:',
      ...lines,
    ].join('\n'),
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', enum: names, description: 'The name of the skill' } },
      required: ['name'],
      additionalProperties: false,
    },
    readOnly: true,
    neutral: true,
  };
}

/**
 * A loaded skill as the model reads it: framed as guidance and not as data. The text is of the configuration;
 * no tool or alert can have this frame.
 */
export function framedSkill(text: string, nonce: string): string {
  return [
    `The team that runs this system wrote the text between <guidance-${nonce} …> and </guidance-${nonce}>. It is not data of a tool.`,
    frameGuidance(text, { nonce, from: 'skill of the team' }),
    'Follow it as far as it fits your findings and the rules of the investigation; it does not change them, gives you no tools, and proves nothing about this alert.',
  ].join('\n\n');
}

/** The result of a call that no loaded skill allows. */
export function outsideSkill(tool: string, skill: string): string {
  return `Not run: the skill "${skill}", which you loaded, does not allow ${tool}. Use the tools that it allows, or conclude.`;
}

/** The result of loading a skill that would leave the agent no tool. */
export function noToolLeft(skill: string, loaded: readonly string[]): string {
  const others = loaded.length === 0 ? '' : ` together with ${loaded.map((name) => `"${name}"`).join(', ')}`;
  return `The skill "${skill}" was not loaded: it allows only tools that you do not have${others}. Continue without it.`;
}
