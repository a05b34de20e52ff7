// Judges the value of a key named like a secret: the secret, a placeholder, a path, or a word about it.

import type { KeyMeaning } from './keyNames.ts';
import { estimateRandomness, isObjectKey, isPlaceholder, isPlain, isProse, isReference } from './values.ts';
import { BARRIER } from './views.ts';

/** How a value stands in its text. */
interface Notation {
  /** Whether quotes or tags enclose it. */
  quoted: boolean;
  /** Whether it stands in a sentence, where words follow a name: `unexpected token: name`. Default: false. */
  inSentence?: boolean;
}

/** Whether the value of a key that `meaning` describes is a secret. */
export function isSecret(value: string, meaning: KeyMeaning, { quoted, inSentence }: Notation): boolean {
  const { kind, sure, plain } = meaning;
  if (value.includes(BARRIER) && value.replaceAll(BARRIER, '').trim() === '') return false;
  if (isPlaceholder(value) || isReference(value, quoted)) return false;
  if (kind === 'cloud-key') return CLOUD_KEY.test(value);
  if (!sure && isObjectKey(value)) return false;
  if (!sure)
    return kind === 'key' ? estimateRandomness(value) !== 'none' : estimateRandomness(value) === 'random';
  if (kind === 'password') return !(value.startsWith('/') && isPath(value));
  if (kind === 'connection-string') return /[=:].*[;@]|[;@].*[=:]/.test(value);
  if (!quoted && /[(){}[\]\\]/.test(value)) return false;
  if (isPath(value) || /^https?:\/\/[^@?]*$/.test(value)) return false;
  if (plain !== undefined && !inSentence && isPlainSecret(value, plain, quoted)) return true;
  if (value.length < 6) return false;
  if (kind === 'secret' || kind === 'token' || kind === 'credential') {
    return (
      !isPlain(value) && !(/\s/.test(value) && !/[\d=]/.test(value)) && !isKubernetesName(value, kind, quoted)
    );
  }
  return !isPlain(value) || (quoted && value.length >= 16);
}

/** 32 or 64 bytes in base64, as keys of Azure have. */
const CLOUD_KEY = /^(?:[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==|[A-Za-z0-9]{33}AzCa[A-Za-z0-9]{6,14}=?)$/;
/** Words behind the name of a token or a secret that describe it, and are not its value. */
const DESCRIPTION =
  /^(?:bearer|basic|opaque|jwt|jwe|jws|oauth2?|oidc|saml2?|spnego|kerberos|access|id|eof|identifier|literal|keyword|punc(?:tuation)?|present|absent|exists|same|different|tokens?|secrets?)$/i;
/** `30d`, `1_000`, `16`: durations, sizes and small numbers. */
const QUANTITY =
  /^-?\d{1,3}(?:_\d{3})*$|^-?\d+(?:[.,:]\d+)*\s?(?:bytes?|[kmgt]i?b?|ms|s|m|h|d|%)$|^[\^~<>=]{1,2}\s?\d+\.\d+/i;
/** `authToken`, `CancellationToken`, `client_secret`: a variable or a type of that name. */
const SAME_WORD = /^[A-Za-z_$]*(?:tokens?|secrets?|key|kind|type|str|string)$/i;
/** `STRIPE_API_KEY`: a variable. */
const VARIABLE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

/** Whether a name, a word or a number is the secret that its key is named after. */
function isPlainSecret(value: string, plain: 'any' | 'word', quoted: boolean): boolean {
  const [first = ''] = value.split(/\s/, 1);
  if (DESCRIPTION.test(value) || QUANTITY.test(value) || isProse(value)) return false;
  if ((!quoted && SAME_WORD.test(value)) || VARIABLE.test(value) || !/[\p{L}\p{N}]/u.test(value))
    return false;
  if (plain === 'word') return value.length >= 4 && !/\s/.test(value);
  return first === value || !isProse(first);
}

/** Whether a value is a path. A base64 key can start with a slash, as one of 64 of AWS; it is not a path. */
function isPath(value: string): boolean {
  if (FILE.test(value)) return true;
  if (!PATH.test(value)) return false;
  const isBase64 = /^\/[A-Za-z0-9/]{19,}$/.test(value) && /[A-Z]/.test(value);
  return !isBase64 || estimateRandomness(value.slice(1)) !== 'random';
}

/** `shared/tokens/estimateTokens.test.ts`. */
const FILE = /^(?:[\w.@~-]{1,60}\/){1,20}[\w.@~-]{1,80}\.[a-z]{1,5}$/;
const PATH = /^(?:\.{0,2}|~|[A-Za-z]:)(?:[/\\][\w.@~-]+)+[/\\]?$/;

/** `checkout-db-7f9k2`: a name of an object, which a secret is called by. */
function isKubernetesName(value: string, kind: string, quoted: boolean): boolean {
  return (
    (kind !== 'token' || !quoted || value.length < 16) &&
    /^[a-z][a-z0-9]*(?:[-./][a-z0-9]+)+$/.test(value) &&
    estimateRandomness(value) === 'none'
  );
}
