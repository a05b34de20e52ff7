// Skills: instructions of the team for one kind of work, which an agent loads when it needs them.

/** The tool source of the skills, and the start of their names in an agent's tools: `skills.full-disk`. */
export const SKILLS = 'skills';

/** The tool with which an agent loads one of its skills. */
export const LOAD_SKILL = 'load_skill';

/** A skill, as its file SKILL.md has it. */
export interface Skill {
  /** Lower-case letters, digits and hyphens; also the name of its folder. */
  name: string;
  /** When to use it, for the agent that selects it. */
  description: string;
  /** The text below the front matter. */
  text: string;
  /** Patterns of tools that run after it was loaded: `kubernetes.get_*`. Undefined: no limit. */
  allowedTools?: readonly string[];
}

/** The skill of this name as a tool of an agent. */
export const skillTool = (name: string): string => `${SKILLS}.${name}`;

/** Whether an entry of an agent's tools is a skill. */
export const isSkillTool = (tool: string): boolean => tool.startsWith(`${SKILLS}.`);

const LIMITS = /^Skill "[^"\n]*"\. Only these tools of servers run from now on: ([^\n]+)\.\n/;

/** The result of loading a skill. Its first line lists the tools that the agent has from then on. */
export function skillResult({ name, text, allowedTools }: Skill): string {
  const limits =
    allowedTools === undefined
      ? ''
      : ` Only these tools of servers run from now on: ${allowedTools.join(', ') || 'none'}.`;
  return `Skill "${name}".${limits}\n\n${text}`;
}

/** The patterns of tools in the result of a loaded skill; undefined for a skill that limits nothing. */
export function limitsOfSkill(result: string): string[] | undefined {
  const [, names] = LIMITS.exec(result) ?? [];
  if (names === undefined) return undefined;
  return names === 'none' ? [] : names.split(', ');
}
