// Classifies a text in the place of a secret: a secret, a placeholder, a word or a reference to a secret.

import { anyPattern, anyWord } from '../../text/patterns.ts';

/** How random a text looks: `random` (letters and digits), `hex` and `uuid` (ids and keys), or none. */
export type Randomness = 'random' | 'hex' | 'uuid' | 'none';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEX = /^(?:0x)?(?:[0-9a-f]{16,}|[0-9A-F]{16,})$/;
const WORD_SHAPE = /^[\w+/=.~:!@#$%^&*?-]+$/;
/** `2026-11-22T10:31:02.123Z`, `20261122103102`, `10.0.0.12:8080`, `v1.2.3-rc.1`. */
const DATE_OR_VERSION =
  /^v?\d+(?:[-:.T/_]\d+)*(?:Z|[+-]\d\d:?\d\d)?(?:[-+](?:rc|alpha|beta|gke|eks|k3s)[\w.]*)?$/i;
/** Letters of most words; digits at the ends only. `ip-10-0-3-17`, `n2-standard-8`, `utf8mb4_general_ci`. */
const NAME_SEGMENT = /^(?:\d{0,8}|[A-Z]?[a-z]{0,24}|[A-Z]{0,24})(?:[A-Z][a-z]{1,20})*\d{0,6}$/;

/** Longer tokens have a form of their own. */
const LONGEST_KEY = 600;

/** How random `text` looks. Texts under 16 characters, or with characters that keys lack, do not. */
export function estimateRandomness(text: string): Randomness {
  if (text.length < 16 || text.length > LONGEST_KEY || !WORD_SHAPE.test(text)) return 'none';
  if (UUID.test(text)) return 'uuid';
  if (HEX.test(text) && /[0-9]/.test(text) && /[a-f]/i.test(text)) return 'hex';
  if (DATE_OR_VERSION.test(text)) return 'none';
  return text.split(/[^A-Za-z0-9]+/).some(isRandomSegment) || isRandomWhole(text) ? 'random' : 'none';
}

/** A run of letters and digits in which they alternate as they do in no name. */
function isRandomSegment(segment: string): boolean {
  if (segment.length < 14) return false;
  const digits = count(segment, /[0-9]/g);
  const upper = count(segment, /[A-Z]/g);
  const lower = segment.length - digits - upper;
  if (digits === 0 && (upper < 3 || lower < 3 || segment.length < 24)) return false;
  if (digits === segment.length || distinct(segment) < 8) return false;
  if (NAME_SEGMENT.test(segment)) return false;
  const changes = count(segment, /[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])|[a-z](?=[A-Z])/g);
  return changes >= (segment.length >= 20 ? 3 : 4);
}

/** Several shorter runs that are random together: `Ab3-x9Zq_71kLm-Q2`. */
function isRandomWhole(text: string): boolean {
  if (text.length < 20 || /^[./]|:\/\//.test(text)) return false;
  const mixed = text
    .split(/[^A-Za-z0-9]+/)
    .filter((run) => /[0-9]/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run));
  return mixed.join('').length >= 12 && distinct(text) >= 12;
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
const distinct = (text: string): number => new Set(text).size;

/** `logs/2026/11/28/7f.gz`, `linux-npm-9fceb02d0ae598e9`: places in buckets or caches, also called keys. */
const OBJECT_KEY =
  /^(?=[^+=]*$)[^/]*\/.*(?:\.[A-Za-z]\w{1,8}$)|^(?=[^+=A-Z]*$)(?:.*\/)?(?:[a-z]{4,}|\d{4}-?\d\d-?\d\d)\/|^(?:[a-z][a-z0-9]{1,20}[-_.]){1,8}[0-9a-f]{16,64}$/;

/** Whether a value that looks random can be the place of an object. */
export const isObjectKey = (value: string): boolean => OBJECT_KEY.test(value);

/** The verb after an id in a sentence: `Token 7f2b0c1e-… was already used`. */
const SAID =
  /^["'\x60]?,? (?:was|were|has|had|is|will|does|did|not|already|could|cannot|belongs|expired|revoked|unknown|invalid|used|issued|created|deleted|rejected|refused)\b/;

/** Whether a UUID is the subject of the sentence that goes on with `behind`. */
export const isSubject = (value: string, behind: string): boolean => UUID.test(value) && SAID.test(behind);

/** Words for a missing or hidden value. */
const PLACEHOLDER_WORD = anyWord(
  'null nil none undefined nan n\\/?a true false yes no on off empty unset default',
  'redacted masked hidden filtered removed omitted sensitive secret password passwd token',
  'changeme required optional string str bool int integer number object array bytes? text',
  'varchar blob any unknown missing invalid incorrect wrong expired denied failed failure',
  'error ok enabled disabled set unspecified \\(?sensitive(?:\\x20value\\)?)?',
  '\\(?known(?:\\x20after\\x20apply\\)?)? boolean function async await void this self new',
);
/** Placeholders that people and programs write in place of a value. */
const PLACEHOLDER = new RegExp(
  `^(?:${
    anyPattern([
      /[*x.•#?_=+\-\s]+/,
      /<[^>]*>?/,
      /\[[^\]]*\]?/,
      /\{\{.*/,
      /\$\{.*/,
      /\$\(.*/,
      /\$[A-Za-z_]\w*/,
      /%[({]?\w+[)}]?[sdv]?/,
      /%[A-Za-z_]\w*%/,
      /@\w+@/,
      /#\{.*/,
      new RegExp(`${PLACEHOLDER_WORD}[.!;:,]?`),
      /[{[(]+/,
      /[\^~]\d+\.\d+\.\d+/,
    ]).source
  })$`,
  'i',
);
/** `process.env.DB_PASSWORD`, `config.password`, `getToken()`, `var.db_password`, `arn:aws:…`. */
const REFERENCE = new RegExp(
  `^(?:${
    anyPattern([
      /[A-Za-z_$]\w*(?:\.\w+)*\(.*/,
      /(?:os\.environ|process\.env|ENV|env)\b.*/,
      /arn:aws:(?:secretsmanager|ssm|iam|kms):.*/,
      /projects\/[^/]+\/(?:secrets|locations|serviceAccounts)\/.*/,
      /(?:ref\+)?(?:vault|awssecrets|gcpsecrets|awsssm|sops|file|op|keychain|k8s):\/?\/.*/,
      /vault:[\w/-]+(?:#\w+)?/,
      /!\w+.*/,
    ]).source
  })$`,
);
/** Names in lower case: of objects, files, words. Such a value is a secret only if its key is sure. */
const PLAIN_NAME =
  /^\/?[a-z]+(?:[-_./:][a-z0-9]{0,12})*$|^[A-Z]?[a-z]+(?:[A-Z][a-z]+)*$|^[A-Z]+(?:_[A-Z]+)*$/;
/** `16 bytes`, as `kubectl describe secret` shows it; sizes and durations. */
const QUANTITY = /^-?\d+(?:[.,:]\d+)*\s?(?:bytes?|[kmgt]i?b?|ms|s|m|h|d|%)?$|^[\^~<>=]{1,2}\s?\d+\.\d+/i;

/** Whether `value` stands where a secret would and is none: a placeholder, or nothing. */
export function isPlaceholder(value: string): boolean {
  return value === '' || PLACEHOLDER.test(value);
}

/** A member of an object, or an element of its list. */
const MEMBER = /^[A-Za-z_$][A-Za-z_$]*(?:(?:\.|::|->)[A-Za-z_$]\w*)+(?:\(.*|\[.*)?$/;
/** Objects whose members programs read, and words in the names of such members. */
const OF_PROGRAM = new RegExp(
  `^${anyWord(
    'process env os config cfg conf settings? options? opts? props? params? args? var local',
    'module data each self this req request res response ctx context secrets? vault values',
    'system app user account github steps inputs? outputs? state store session client',
    'service server db database input form body event e parsed result row item entry obj',
    'object model schema window document Deno Bun root parent my me',
  )}(?:\\.|::|->|\\[)|pass|pwd|secret|token|key|cred|auth|env(?![a-z])|pw(?![a-z])|\\(|\\[`,
  'i',
);

/**
 * Whether `value` refers to a secret: an expression of a program, an address in a vault.
 * @param quoted a text in quotes is no expression. Default: false.
 */
export function isReference(value: string, quoted = false): boolean {
  if (value.length > 400 || estimateRandomness(value) !== 'none') return false;
  if (REFERENCE.test(value)) return true;
  return MEMBER.test(value) && OF_PROGRAM.test(value) && (!quoted || /\(|\[|^process\.env/.test(value));
}

/** Whether `value` can be the name of something, a word or a quantity. */
export function isPlain(value: string): boolean {
  return value.length < 4 || PLAIN_NAME.test(value) || QUANTITY.test(value);
}

/** Words that follow `password:` and `token:` in sentences. */
const PROSE = new RegExp(
  `^${anyWord(
    'authentication auth login is are was were has have had must should may can cannot',
    'could will not no the a an for from of in to and or with by at as it this that your',
    'you please too does did do field value change changed reset mismatch rejected refused',
    'revoked verified verification validated validation accepted provided expected',
    'unexpected found used using refresh refreshed rotated rotation created updated deleted',
    'unauthorized forbidden malformed signature permission access type exchange request',
    'response endpoint review projected because when if after before until only being been',
    'got get new old bad good success successful successfully ttl expires? expiry count',
    'limit length loaded mounted attached',
  )}$`,
  'i',
);

/** Whether `word` goes on a sentence. */
export function isProse(word: string): boolean {
  return PROSE.test(word.replace(/[.,;:!?)]+$/, ''));
}
