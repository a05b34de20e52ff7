// Reads the answer of a model that was asked to conclude and can call no more tools.

import { objectOfInput } from './actionInput.ts';
import { type Section, splitSections } from './sections.ts';
import { plainText } from './values.ts';

/** The content of an answer in which no tool can be called. */
interface ReactConclusion {
  /** The last thought that is not empty. */
  thought: string;
  /** All text after the first `Final Answer:`. */
  finalAnswer: string;
  /** The longest of its thoughts and of the text that is part of no call; empty when there is neither. */
  longestText: string;
}

const FENCED = /^(`{3,}|~{3,})[^\n]*\n[\s\S]*?\n\1[^\S\n]*(?:\n|$)/;

/** Text without a header, or after the input of a call, where models often continue. */
function textBesideCalls(section: Section): string {
  const text = plainText(section);
  if (section.name === 'none') return text;
  if (section.name !== 'actionInput') return '';
  return FENCED.test(text) ? text.replace(FENCED, '') : (objectOfInput(text)?.rest ?? '');
}

/** Reads such an answer. Never throws; takes linear time. */
export function parseConclusion(text: string): ReactConclusion {
  const { sections, answerText } = splitSections(text, { concluding: true });
  const textsOf = (name: Section['name']) =>
    sections.filter((section) => section.name === name).map(plainText);
  const thoughts = textsOf('thought').filter((thought) => thought !== '');
  const loose = sections.map(textBesideCalls).join('\n').trim();
  const longestText = [...thoughts, loose].reduce((a, b) => (b.length > a.length ? b : a), '');
  return { thought: thoughts.at(-1) ?? '', finalAnswer: answerText, longestText };
}
