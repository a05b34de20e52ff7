// The messages of a client as one question. Earlier ones are text of the caller, never instructions.

import { asObject } from '../../text/json.ts';

/** A message of any wire, with its readable text. */
export interface ClientMessage {
  /** Who speaks. Messages of other roles (tools) are left out. */
  role: string;
  /** The text; empty for one without text. */
  text: string;
}

/** The role of what a client knows about its user. */
const PROFILE = 'profile';
/** The most characters of the name and of the profile of a user. */
const MAX_USER_NAME = 200;
const MAX_PROFILE = 2_000;

const NAMES = new Map([
  ['system', 'Instructions'],
  ['developer', 'Instructions'],
  ['user', 'User'],
  ['assistant', 'Assistant'],
]);

/**
 * The name and the profile of a user in the metadata of a request (`user_name`, `user_profile`). They are
 * text of the caller: they stand before the question, and in no instructions.
 */
export function listProfile(metadata: unknown): ClientMessage[] {
  const { user_name: name, user_profile: profile } = asObject(metadata);
  const lines = [
    typeof name === 'string' ? name.replace(/\s+/g, ' ').trim().slice(0, MAX_USER_NAME) : '',
    typeof profile === 'string' ? profile.trim().slice(0, MAX_PROFILE) : '',
  ].filter((line) => line !== '');
  return lines.length === 0 ? [] : [{ role: PROFILE, text: lines.join('\n').toWellFormed() }];
}

/** The last message as the question, after earlier ones unless the session has them (`hasHistory`). */
export function composeQuestion(messages: readonly ClientMessage[], hasHistory: boolean): string {
  const question = messages.at(-1)?.text.trim() ?? '';
  const earlier = messages.slice(0, -1);
  const before = earlier.flatMap(({ role, text }) => {
    const name = NAMES.get(role);
    return name === undefined || text.trim() === '' ? [] : [`${name}: ${text.trim()}`];
  });
  const parts = [
    ...earlier.flatMap(({ role, text }) =>
      role === PROFILE ? [`The user, as the client describes them:\n\n${text}`] : [],
    ),
    ...(before.length === 0 ? [] : [`What was said before, oldest first:\n\n${before.join('\n\n')}`]),
  ];
  if (hasHistory || parts.length === 0 || question === '') return question;
  return [...parts, `The question now:\n\n${question}`].join('\n\n');
}
