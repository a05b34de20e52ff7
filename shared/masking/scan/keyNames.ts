// Which names of keys have a secret as their value: `db_password`, `stripeApiKey`, `X-Auth-Token`.

import { anyPattern, anyWord } from '../../text/patterns.ts';

/** The meaning of a key's name. A `sure` value is always a secret; another only if it is random. */
export interface KeyMeaning {
  /** The kind in the mark. */
  kind: string;
  /** Whether every value is a secret, and not only a random one. */
  sure: boolean;
  /**
   * Whether a value that looks like a name, a word or a number is the secret: `any` does, as behind
   * `client_secret`; a `word` or number of four characters does, as behind `token`. Undefined: none does. All
   * values of passwords are secrets.
   */
  plain?: 'any' | 'word';
}

/** Names or parts of them, lower case without separators, and the secret's kind. The first match counts. */
const SURE: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/pass(?:wor[dt]|wd|phrase|code)|pwd|kennwort|contrase|motdepasse/, 'password'],
  [
    new RegExp(
      anyWord(
        'privatekey privkey secretkey signingkey encryptionkey masterkey decryptionkey',
        'hostkey sshkey pemkey unsealkey sealkey recoverykey cryptkey',
      ),
    ),
    'private-key',
  ],
  [
    new RegExp(
      anyWord(
        'api_?(?:key|token|secret|auth) appkey appl?(?:ication)?key consumerkey accesskey',
        'sharedkey accountkey storagekey servicekey licen[sc]ekey authkey deploykey',
        'writekey adminkey userkey integrationkey functionkey hostkey subscriptionkey',
        'instrumentationkey ingestionkey ingestkey webhookkey serverkey clientkey testkey',
        'livekey securitykey devkey developerkey projectkey partnerkey keysecret',
        'secretid$ accountsid',
      ),
    ),
    'api-key',
  ],
  [/connection_?str(?:ing)?|connstr|databaseurl|^dsn$|_dsn$/, 'connection-string'],
  [/credential|(?:^|[^a-z])creds?(?:$|[^a-z])/, 'credential'],
  [/token(?!iz|is)|bearer|(?:^|[^a-z])jwt(?:$|[^a-z])|oauth/, 'token'],
  [/secret/, 'secret'],
];
/** Words that are too common for more than a suspicion. */
const UNSURE =
  /^(?:key|auth|authorization|pat|sid|cookie|signature|sig|hmac|salt|seed|mnemonic|otp|totp|licen[sc]e|webhook|dsn|private|api)$/;
/** Of one letter run only: `pass` is not in `compass`, `pw` not in `pwm`. */
const SHORT_WORDS: Readonly<Record<string, string>> = {
  pass: 'password',
  passw: 'password',
  pw: 'password',
  psw: 'password',
  pswd: 'password',
  authtok: 'password',
  creds: 'credential',
  cred: 'credential',
  jwt: 'token',
  pat: 'token',
  mfa: 'token',
};
/** `dbpass`, written in one. */
const JOINED_PASS =
  /(?:db|user|usr|root|admin|my|sql|smtp|mail|ftp|ldap|redis|mongo|mysql|bind|bnd|sudo|ssh|login|key|store|keystore|truststore|proxy|http|auth|svc|app|pg|wifi|dn)(?:pass|pw)$/;

/** A name that ends so speaks about the secret, and does not hold it. */
const ABOUT = new Set(
  'name names count counts limit limits length len size sizes type types url urls uri uris endpoint endpoints host path paths file files filename dir directory folder location expiry expires expire expiration expired expiresin expiresat ttl timeout age maxage policy policies version versions ref refs reference references usage used budget max min total enabled enable disabled required requirement requirements review reviews rotation status state valid invalid validity algorithm alg issuer audience scope scopes field fields header headers format hint manager provider providers store stores class mount mounts volume volumes created updated deleted at time times date index position bucket group groups role roles event events error errors message reason attempts retries retry rate cost price per second minute method mode kind lookup selector strategy service account controller operator server config configuration exists present changed hook page next limitrange estimate spec format template annotation label labels projection projected request requests response api apis ring rings size bits strength set sets namespace owner'.split(
    ' ',
  ),
);
/** Names of values that are no secrets: they page through lists, or name places in caches and tables. */
const HARMLESS = anyPattern([
  new RegExp(
    `${anyWord(
      'page next continue continuation cursor resume sync stream watch delta skip pagination',
      'start end forward backward',
    )}_?token`,
  ),
  /tokens?(?:per|used|left|remaining|in|out)/,
  /(?:max|min|num|total|input|output|prompt|completion|cached|thinking|reasoning|context|cache|used|new)_?tokens?$/,
  /idempoten/,
  new RegExp(
    `${anyWord(
      'cache partition primary foreign sort object row group grouping hash shard dedup dedupe',
      'deduplication ordering lookup index map unique composite public pub candidate natural',
      'surrogate range metric label attribute property field item entry redis registry lock',
      'store bucket kms resource tag i18n translation shortcut hot any press alert incident',
      'issue state context config setting secretname event message record document routing',
      'query data root parent child sub json column last',
    )}_?keys?$`,
  ),
  new RegExp(
    `key${anyWord(
      'id name type size ring usage algorithm space board word point frame vault cloak stone',
      'store code press down up pair spec bits count len length path file exchange s',
    )}$`,
  ),
  /^key$/,
  new RegExp(
    anyWord(
      'secretkeyref thoughtsignature secrets?manager passport passenger passiv passing passed',
      'compass bypass surpass encompass author(?!iz) tokenreview bootstraptoken$ tokenrequest',
      'secretary',
    ),
  ),
]);

/** Names of keys of Cosmos DB and caches, also places: only a value in the form of a key is a secret. */
const CLOUD_KEY = /(?:primary|secondary|cache|redis|cosmos(?:db)?)(?:readonly)?keys?$/;
const MAX_NAME = 100;

/**
 * The meaning of a key's name; undefined when its value is no secret.
 * @param name as it stands in the text, in any case and with any separators
 */
export function findKeyMeaning(name: string): KeyMeaning | undefined {
  if (name.length > MAX_NAME) return undefined;
  const cached = cache.get(name);
  if (cached !== undefined) return cached ?? undefined;
  const meaning = judgeName(name);
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(name, meaning ?? null);
  return meaning;
}

/** The same names come again and again; a thousand of them take less than 200 kB. */
const CACHE_SIZE = 1000;
const cache = new Map<string, KeyMeaning | null>();

function judgeName(name: string): KeyMeaning | undefined {
  const words = splitKeyWords(name);
  const last = words.at(-1) ?? '';
  if (words.length > 1 && ABOUT.has(last)) return undefined;
  const joined = words.join('');
  const separated = words.join('_');
  const short = SHORT_WORDS[last];
  const harmless = HARMLESS.test(joined);
  const plural = /^(?:tokens|secrets|credentials|creds)$/.test(last);
  for (const [pattern, kind] of SURE) {
    if (!pattern.test(joined) && !pattern.test(separated)) continue;
    if (harmless && kind !== 'password') return undefined;
    const plain = plural ? undefined : findPlainMeaning(words);
    return { kind, sure: !plural, ...(plain !== undefined && { plain }) };
  }
  if (short !== undefined) return { kind: short, sure: short !== 'token' };
  if (JOINED_PASS.test(joined)) return { kind: 'password', sure: true };
  if (CLOUD_KEY.test(joined)) return { kind: 'cloud-key', sure: false };
  if (harmless && joined !== 'key') return undefined;
  if (UNSURE.test(last)) return { kind: 'key', sure: false };
  return undefined;
}

/** Names that hold nothing but the secret, without separators. */
const HOLDS_SECRET =
  /(?:api|app|client|user|auth|access|secret|signing|encryption|consumer)_?(?:key|token|secret)$|secretaccesskey$|secret(?:string|data|value|text|binary)$/;
/** Before `secret`, words that make it the name of an object of Kubernetes or of a vault. */
const NAMES_OBJECT = new RegExp(
  `^${anyWord(
    'existing pull image tls ssl k8s kube kubernetes external sealed docker dockerconfig',
    'registry cert certificate ca ref from mount mounted volume generic opaque managed',
    'target source secret manager gcp aws azure vault of min max longest shortest',
  )}$`,
);
/** Before `token`, words that make it a part of a language, a position or the object of a sentence. */
const NO_TOKEN = new RegExp(
  `^${anyWord(
    'eos bos pad unk sep cls mask stop special fencing fence lease lock invalid missing',
    'unexpected expired bad unknown no syntax parse lexer current prev previous last first',
    'each every one per time device change version design theme color of min max longest',
    'shortest',
  )}$`,
);

/** The meaning of a plain value behind a name of these words. */
function findPlainMeaning(words: readonly string[]): KeyMeaning['plain'] {
  const last = words.at(-1);
  const before = words.at(-2) ?? '';
  if (last === 'token') return words.length === 1 ? 'word' : NO_TOKEN.test(before) ? undefined : 'any';
  if (last === 'secret') return words.length === 1 || NAMES_OBJECT.test(before) ? undefined : 'any';
  return HOLDS_SECRET.test(words.join('')) ? 'any' : undefined;
}

/** `db.rootPassword_2` is db, root, password. Numbers at the end belong to no word. */
function splitKeyWords(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}
