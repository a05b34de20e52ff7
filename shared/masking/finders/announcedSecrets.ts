// Key-like strings near a word that announces one, where no sign of assignment stands between: `Using token
// 8f3a…`, `stripe '…'`. Only strings that are no word, path, id or hash count, so this is the least sure of
// the rules.

import { findKeyMeaning } from '../scan/keyNames.ts';
import type { Scan } from '../scan/scan.ts';
import { estimateRandomness, isObjectKey, isSubject, type Randomness } from '../scan/values.ts';
import { BARRIER } from '../scan/views.ts';
import { SERVICES } from './services.ts';

/** Words for secrets, as parts of a regular expression. */
const WORDS = [
  'tokens?',
  'secrets?',
  'api',
  'apikeys?',
  'credentials?',
  'creds',
  'passwords?',
  'passwd',
  'pwd',
  'bearer',
  'access key',
  'private key',
  'pat',
  'oauth',
  'auth',
  'key',
];
const TRIGGER = new RegExp(`(?<![A-Za-z])(?:(${WORDS.join('|')})|(${SERVICES.join('|')}))(?![a-z])`, 'gi');
/** Most characters between a name and its key. */
const MAX_DISTANCE = 40;
/** Longest word with the text between it and the value. */
const BEFORE = MAX_DISTANCE + 24;
const SHORTEST = 20;
const LAST_LINE = new RegExp(`[^\\n${BARRIER}]*$`);
/** A key-like word. */
const CANDIDATE = /[A-Za-z0-9+/][\w+/=.~|:@!-]{14,400}/g;
/** `name=` at the start of a word. */
const NAME = /^[A-Za-z_][\w.-]{0,40}[=:](?=[^=:/])/;
const OTHER_KEY = /[\w.-]{2,}["']?\s{0,3}[=:]\s{0,3}["']?$/;
const JOINED =
  /^(?:\.\w{1,30})?(?:[ \t]?(?:api|app|client|access|auth|user|account|secret)?[ _-]?(?:key|token|secret|id|sid|pat|password|credentials?|auth)s?\d{0,2})?[\s"'`:=({>|,-]{1,8}$/i;

/** Finds key-like strings near words that announce one. It searches the strings first: they are rarer. */
export function findAnnouncedSecrets(scan: Scan): void {
  const { text } = scan;
  CANDIDATE.lastIndex = 0;
  for (let found = CANDIDATE.exec(text); found !== null; found = CANDIDATE.exec(text)) {
    const name = NAME.exec(found[0])?.[0].length ?? 0;
    const value = found[0].slice(name).replace(/[.:=|,!-]+$/, '');
    const start = found.index + name;
    scan.spend(value.length);
    const randomnessOfValue = estimateRandomness(value);
    if (randomnessOfValue === 'none' || value.length < SHORTEST) continue;
    if (isObjectKey(value) || isSubject(value, text.slice(start + value.length, start + value.length + 20)))
      continue;
    scan.spend(BEFORE);
    if (isAnnounced(text, start, value, randomnessOfValue)) scan.found(start, start + value.length, 'key');
  }
}

/** Whether one of the words stands close enough before a key-like string, on the same line. */
function isAnnounced(text: string, start: number, value: string, found: Randomness): boolean {
  const from = Math.max(0, start - BEFORE);
  const before = text.slice(from, start);
  // An escaped line break.
  if (before.endsWith('\\')) return false;
  const line = from + before.search(LAST_LINE);
  TRIGGER.lastIndex = 0;
  const window = text.slice(line, start);
  for (let hit = TRIGGER.exec(window); hit !== null; hit = TRIGGER.exec(window)) {
    const end = hit.index + hit[0].length;
    if (window.length - end > MAX_DISTANCE) continue;
    if (hit[1] !== undefined && !announcesKey(text, line + hit.index, line + end)) continue;
    if (isKey(value, found, window.slice(end), hit[2] !== undefined)) return true;
  }
  return false;
}

/** Whether the word is a key's whole name, or ends that of a secret's key: not `cache_key`. */
function announcesKey(text: string, start: number, end: number): boolean {
  const before = /[\w.-]{0,60}$/.exec(text.slice(Math.max(0, start - 60), start))?.[0] ?? '';
  const after = /^[\w-]{0,60}/.exec(text.slice(end, end + 60))?.[0] ?? '';
  // `partition key 4bf9…` names a place.
  const word = /([A-Za-z]{2,30}) $/.exec(text.slice(Math.max(0, start - 32), start))?.[1];
  if (before + after === '' && word !== undefined && /^key$/i.test(text.slice(start, end)))
    return namesSecret(`${word}_key`);
  return before + after === '' || namesSecret(before + text.slice(start, end) + after);
}

/** `cache_key` names a place, unless its value has the form of a key. */
function namesSecret(name: string): boolean {
  const meaning = findKeyMeaning(name);
  return meaning !== undefined && meaning.kind !== 'cloud-key';
}

function isKey(value: string, found: Randomness, between: string, service: boolean): boolean {
  const adjoins = JOINED.test(between);
  // The value of another key: `bad token, request_id=…`.
  if (!adjoins && OTHER_KEY.test(between)) return false;
  if (found === 'random') return adjoins || !/[/:]/.test(value);
  // Ids and digests look like keys in hexadecimal, so the word must stand right before them.
  if (!adjoins || /\b(?:id|uid|uuid)\b/i.test(between)) return false;
  return !service || /["'`(]$/.test(between) || /key|token|secret|password/i.test(between);
}
