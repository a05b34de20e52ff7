import { describe, expect, it } from 'vitest';
import { frameRule } from '../text/untrustedFrame.ts';
import { directPrompt, withUserContext } from '../wording/direct.ts';
import { propertiesGuidance, schemaPrompt } from './prompt.ts';

const research = {
  description:
    'You are a research assistant with access to a knowledge base.\nUse the search tool to find information before answering.\n',
  systemPrompt: 'Always use the action tool to emit observations with confidence scores.\n',
  properties: {
    answer: { type: 'string', description: 'Your response to the user' },
    confidence: { type: 'number', description: 'How confident you are (0.0 to 1.0)' },
    sources: { type: 'array', items: { type: 'string' }, description: 'Entity keys you referenced' },
  },
  required: [],
};

const RESEARCH_TEXTS = `You are a research assistant with access to a knowledge base.
Use the search tool to find information before answering.

Always use the action tool to emit observations with confidence scores.`;

const RESEARCH_PROMPT = `${RESEARCH_TEXTS}

## Internal Thinking Structure (DO NOT output these labels)

Use this structure to organize your thinking, but ONLY output the answer content:

**OUTPUT (what the user sees):** Your response to the user

**INTERNAL (for your tracking only - do NOT include in output):**

Schema (use these EXACT field names):
\`\`\`yaml
confidence: number
  # How confident you are (0.0 to 1.0)
sources: [string]
  # Entity keys you referenced
\`\`\`

CRITICAL: Your response must be ONLY the conversational answer text.
Do NOT output field names like 'answer:' or JSON - just the response itself.`;

describe('the prompt of a schema', () => {
  it('is description, further instructions and guidance, byte for byte', () => {
    expect(schemaPrompt(research, false)).toBe(RESEARCH_PROMPT);
  });

  it('starts with the known facts about the user', () => {
    const hint = 'Date: 2024-01-15\nUser: John Doe';
    expect(withUserContext(RESEARCH_PROMPT, hint)).toBe(`## User Context\n${hint}\n\n${RESEARCH_PROMPT}`);
    expect(withUserContext(RESEARCH_PROMPT, ' \n')).toBe(RESEARCH_PROMPT);
  });

  it('has nothing added in structured mode', () => {
    expect(schemaPrompt(research, true)).toBe(RESEARCH_TEXTS);
  });

  it('is only the description when nothing else is configured', () => {
    expect(schemaPrompt({ description: ' Look.\n', properties: {}, required: [] }, false)).toBe('Look.');
  });

  it('asked directly is the end, after the rule about untrusted data and the facts about the user', () => {
    const nonce = '0123456789ab';
    expect(directPrompt({ instructions: RESEARCH_PROMPT }, { userContext: 'User: A', nonce })).toBe(
      `${frameRule(nonce)}\n\n## User Context\nUser: A\n\n${RESEARCH_PROMPT}`,
    );
  });
});

describe('the guidance from properties', () => {
  it('is empty without any', () => {
    expect(propertiesGuidance({})).toBe('');
  });

  it('has no INTERNAL part for a request that is only an answer', () => {
    const text = propertiesGuidance({ answer: { type: 'string' } });
    expect(text).toContain('**OUTPUT (what the user sees):** Your response\n\nCRITICAL:');
    expect(text).not.toContain('INTERNAL');
  });

  it('has no OUTPUT line without an answer', () => {
    const text = propertiesGuidance({ score: { type: 'integer' } });
    expect(text).toContain('answer content:\n\n**INTERNAL');
    expect(text).not.toContain('OUTPUT');
  });

  it('shows nested objects, lists of objects, choices and required fields, on every level', () => {
    const text = propertiesGuidance(
      {
        level: { type: 'string', enum: ['low', 'high'], description: 'How bad' },
        cause: {
          type: 'object',
          description: 'What broke',
          required: ['text'],
          properties: { text: { type: 'string' }, kind: { type: 'string', enum: ['a', 'b'] } },
        },
        steps: {
          type: 'array',
          description: 'In order',
          items: { type: 'object', properties: { do: { type: 'string', description: 'One\n  step' } } },
        },
        free: {},
      },
      ['level', 'steps'],
    );
    const fence = /```yaml\n([\s\S]*)\n```/.exec(text)?.[1];
    expect(fence).toBe(`level: string (one of: low, high) (required)
  # How bad
cause:
  # What broke
  text: string (required)
  kind: string (one of: a, b)
steps: [object] (required)
  # In order
  # Each item has:
    do: string
      # One step
free: any`);
  });
});
