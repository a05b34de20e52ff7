// Secrets in arguments of commands with user and password in one word: `curl -u a:b`, `sqlplus a/b@db`.

import type { Scan } from '../scan/scan.ts';
import { isPlaceholder, isPlain } from '../scan/values.ts';
import { BARRIER } from '../scan/views.ts';
import { type Word, withoutQuotes, wordsFrom } from './shellWords.ts';

const HTTP_CLIENT = /\b(?:curl(?:ie)?|wget2?|http(?:ie|s)?|xhs?)(?:\.exe)?(?=["']?[\s,])["']?/g;
const ORACLE =
  /\b(?:sqlplus|sqlcl|sql|sqlldr|expdp|impdp|exp|imp|rman|tnsping|dgmgrl|orapwd)(?:\.exe)?(?=["']?[\s,])["']?/g;
const SSH_KEYGEN = /\bssh-keygen(?:\.exe)?(?=["']?[\s,])["']?/g;
const MINIO = /\bmc(?:li)?(?=[ \t]{1,4}(?:-{1,2}[\w-]{1,30}[ \t]{1,4}){0,4}(?:alias|config|admin)[ \t])/g;
const NET_USER = /\bnet1?(?:\.exe)?[ \t]{1,4}user(?=[ \t])/gi;
const HTPASSWD = /\b(?:htpasswd2?|mosquitto_passwd)(?:\.exe)?(?=["']?[\s,])["']?/g;
/** `connect a/b@db`, as scripts of SQL*Plus have it. */
const CONNECT = /(?:^|SQL>|;)[ \t]{0,10}conn(?:ect)?(?=[ \t])/gim;

/** Options of curl without a value, which stand before `u` in one word: `-sSu`. */
const FLAGS = '[sSkLfviIgNaqJRO#0-6GlBjMpnZ]{0,12}';
/** Options that take `user:password`, with the value in the next word or in the same one. */
const PAIR_OPTION = new RegExp(
  `^(?:-${FLAGS}[uU]|-a|--user|--proxy-user|--auth|--preproxy-user|--digest-user)(?:$|=|(?<=^-${FLAGS}[uU]|^-a)(?=[^-=]))`,
);
/** Options that take a secret as a whole. */
const SECRET_OPTION = /^--(?:oauth2-bearer|pass|proxy-pass|tlspassword|proxy-tlspassword)(?:$|=)/;
/** `cert.pem:password`. */
const CERTIFICATE_OPTION = /^(?:-E|--cert|--proxy-cert)(?:$|=)/;

/** Finds users and passwords in the arguments of HTTP clients and of Oracle's tools. */
export function findInArguments(scan: Scan): void {
  const { text } = scan;
  eachCommand(scan, HTTP_CLIENT, readHttpClient);
  if (text.includes('ssh-keygen')) eachCommand(scan, SSH_KEYGEN, readKeygen);
  eachCommand(scan, MINIO, readMinio);
  if (/\bnet/i.test(text)) eachCommand(scan, NET_USER, readNetUser);
  if (text.includes('passwd')) eachCommand(scan, HTPASSWD, readHtpasswd);
  if (!text.includes('/')) return;
  eachCommand(scan, ORACLE, (own, words) => {
    for (const word of words) readOracle(own, word, false);
  });
  eachCommand(scan, CONNECT, (own, words) => {
    for (const word of words.slice(0, 1)) readOracle(own, word, true);
  });
}

function eachCommand(
  scan: Scan,
  trigger: RegExp,
  read: (scan: Scan, words: Word[], command: string) => void,
): void {
  trigger.lastIndex = 0;
  for (let hit = trigger.exec(scan.text); hit !== null; hit = trigger.exec(scan.text)) {
    const from = hit.index + hit[0].length;
    const words = wordsFrom(scan.text, from);
    const end = words.at(-1)?.end ?? from;
    scan.spend(end - hit.index + 20);
    read(scan, words, hit[0]);
    // A command within the arguments of another command was read with them.
    trigger.lastIndex = Math.max(trigger.lastIndex, end);
  }
}

function readHttpClient(scan: Scan, words: Word[], command: string): void {
  const { text } = scan;
  for (const [index, word] of words.entries()) {
    const inner = withoutQuotes(text, word);
    const written = text.slice(inner.start, inner.end);
    // Behind `-U` wget takes the name of a browser.
    if (!written.startsWith('-') || (command.startsWith('wget') && written.startsWith('-U'))) continue;
    const valueBehind = (option: string): Word | undefined =>
      option === written ? words[index + 1] : { start: inner.start + option.length, end: inner.end };
    const pair = PAIR_OPTION.exec(written)?.[0];
    const whole = SECRET_OPTION.exec(written)?.[0];
    const certificate = CERTIFICATE_OPTION.exec(written)?.[0];
    const value = valueBehind(pair ?? whole ?? certificate ?? '');
    if (value === undefined) continue;
    if (pair !== undefined) reportPair(scan, value);
    else if (whole !== undefined) reportWord(scan, withoutQuotes(text, value));
    else if (certificate !== undefined && !text.slice(value.start, value.end).startsWith('pkcs11:'))
      reportBehind(scan, value, ':');
  }
}

/** `ssh-keygen -P OLD -N NEW`, also in one word. */
function readKeygen(scan: Scan, words: Word[]): void {
  for (const [index, word] of words.entries()) {
    const option = /^-[NP]/.exec(scan.text.slice(word.start, word.end))?.[0];
    if (option === undefined) continue;
    const value = word.end - word.start > 2 ? { start: word.start + 2, end: word.end } : words[index + 1];
    if (value !== undefined) reportWord(scan, withoutQuotes(scan.text, value));
  }
}

/** `mc alias set NAME URL USER SECRET`, `mc admin user add NAME USER SECRET`, with options anywhere. */
function readMinio(scan: Scan, words: Word[]): void {
  const places = words.map((word) => withoutQuotes(scan.text, word));
  const written = places.map(({ start, end }) => scan.text.slice(start, end));
  const isValue = (index: number): boolean => /^--(?:api|path|config-dir)$/.test(written[index - 1] ?? '');
  const plain = places.filter((_, index) => !written[index]?.startsWith('-') && !isValue(index));
  const line = plain.map(({ start, end }) => scan.text.slice(start, end)).join(' ');
  const at = /^(?:alias set|config host add) \S+ https?:/.test(line)
    ? line.startsWith('alias')
      ? 5
      : 6
    : /^admin user add /.test(line)
      ? 5
      : plain.length;
  const secret = plain[at];
  if (secret !== undefined) reportWord(scan, secret);
}

/** `net user NAME PASSWORD /ADD`: without an option and with more words it is a sentence. */
function readNetUser(scan: Scan, words: Word[]): void {
  const [, password, ...others] = words.filter(({ start }) => scan.text[start] !== '/');
  if (password === undefined) return;
  const word = withoutQuotes(scan.text, password);
  const isSentence = others.length > 0 && others.length === words.length - 2;
  if (!isSentence || !isPlain(scan.text.slice(word.start, word.end))) reportWord(scan, word);
}

/** `htpasswd -b FILE USER PASSWORD`, or `-nb USER PASSWORD`; `mosquitto_passwd` is like it. */
function readHtpasswd(scan: Scan, words: Word[]): void {
  const places = words.map((word) => withoutQuotes(scan.text, word));
  let flags = '';
  let next = 0;
  for (; scan.text[places[next]?.start ?? -1] === '-'; next++) {
    const { start, end } = places[next] ?? { start: 0, end: 0 };
    flags += scan.text.slice(start, end);
    // The cost of bcrypt is a word of its own.
    if (/[Cr]$/.test(flags)) next++;
  }
  const password = places[next + (flags.includes('n') ? 1 : 2)];
  if (flags.includes('b') && password !== undefined) reportWord(scan, password);
}

/** The password; of a key that stands for the user, with an empty password, the key. */
function reportPair(scan: Scan, value: Word): void {
  const { start, end } = withoutQuotes(scan.text, value);
  const pair = scan.text.slice(start, end);
  const [, key = ''] = /^["']?([^:"']+)["']?:$/.exec(pair) ?? [];
  if (key.length >= 8 && !isPlain(key)) reportWord(scan, { start, end: start + pair.length - 1 });
  else reportBehind(scan, value, ':');
}

function reportBehind(scan: Scan, value: Word, sign: string): void {
  const { start, end } = withoutQuotes(scan.text, value);
  const at = start + scan.text.slice(start, end).indexOf(sign);
  if (at < start || at >= end - 1) return;
  const secret = withoutQuotes(scan.text, { start: at + 1, end });
  // `"deploy":"secret"`, of which the outer quotes are gone.
  const quote = /^\\?["']/.exec(scan.text.slice(secret.start, secret.end))?.[0].length ?? 0;
  reportWord(scan, { ...secret, start: secret.start + quote });
}

/** `scott/tiger@db`, `userid=scott/tiger`, `"scott/tiger@db as sysdba"`. */
function readOracle(scan: Scan, word: Word, needsAddress: boolean): void {
  const { text } = scan;
  const { start, end } = withoutQuotes(text, word);
  const written = text.slice(start, end);
  const user = /^(?:userid=)?["']?\w[\w$#.-]{0,60}["']?(?:\[\w{1,60}\])?\//i.exec(written)?.[0];
  if (user === undefined) return;
  const rest = written.slice(user.length).replace(/\s+as\s+\w+$/i, '');
  const quoted = /^(["'])[^"']*\1/.exec(rest)?.[0];
  const at = rest.lastIndexOf('@');
  if (needsAddress && at < 0) return;
  const length = quoted?.length ?? (at < 0 ? rest.length : passwordBefore(rest, at));
  reportWord(scan, withoutQuotes(text, { start: start + user.length, end: start + user.length + length }));
}

/** A descriptor of an address can contain signs of its own: `a/b@//user@host`. */
const passwordBefore = (rest: string, last: number): number => {
  const address = rest.search(/@(?:\/\/|\()/);
  return address >= 0 ? address : last;
};

function reportWord(scan: Scan, { start, end }: Word): void {
  const secret = scan.text.slice(start, end);
  if (isPlaceholder(secret) || (secret.includes(BARRIER) && !/[\p{L}\p{N}]/u.test(secret))) return;
  scan.found(start, end, 'password');
}
