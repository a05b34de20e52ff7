// The forms of a known secret in a text: unchanged, or encoded as in URLs, JSON, HTML, base64.

/** From this length on a secret is looked for everywhere, in all its forms. */
const SEARCHED_LENGTH = 8;
/** From this length on it is looked for as a word of its own: `s3cret`, not within `s3cretary`. */
const WORD_LENGTH = 4;

/** Secrets of developers' machines that are common words; masking them would damage every text. */
const COMMON =
  /^(?:password|passw0rd|changeme|secret|admin(?:istrator)?|postgres(?:ql)?|mysql|redis|root|guest|user(?:name)?|default|example|localhost|127\.0\.0\.1|development|production|staging|testing|test|demo|none|null|undefined|true|false|enabled|disabled|no-key|(.)\1{0,6}|\d{1,7})$/i;

/** A form, and its places: everywhere, or only between characters other than letters and digits. */
export interface KnownForm {
  /** The text to search for. */
  form: string;
  /** The secret that it is a form of. */
  secret: string;
  /** Whether it counts only between characters other than letters and digits. */
  whole: boolean;
  /** Whether the characters beside it can hold bits of the secret, as in base64. */
  encoded: boolean;
}

/** Whether `secret` can be searched. Short or common ones are masked only where rules find them. */
export function isSearchable(secret: string): boolean {
  return secret.length >= WORD_LENGTH && !COMMON.test(secret) && secret.trim() !== '';
}

/** All forms of the searchable ones of `secrets`, longest first. */
export function knownForms(secrets: readonly string[]): KnownForm[] {
  const forms = new Map<string, KnownForm>();
  for (const secret of secrets.filter(isSearchable)) {
    const whole = secret.length < SEARCHED_LENGTH;
    const add = (encoded: boolean) => (form: string) => {
      if (form.length < (whole ? WORD_LENGTH : SEARCHED_LENGTH) || forms.has(form)) return;
      forms.set(form, { form, secret, whole, encoded });
    };
    escapedForms(secret).forEach(add(false));
    if (!whole) encodedForms(secret).forEach(add(true));
  }
  return [...forms.values()].sort((a, b) => b.form.length - a.form.length);
}

/** Forms in which most characters stay as they are. */
function escapedForms(secret: string): string[] {
  const json = (text: string) => JSON.stringify(text).slice(1, -1);
  const url = encodeURIComponentSafely(secret);
  const strict = url.replace(/[!'()*~]/g, percent);
  const urls = [
    url,
    strict,
    url.replaceAll('%20', '+'),
    encodeURISafely(secret),
    strict.replaceAll('%', '%25'),
  ];
  const html = secret.replace(/[&<>]/g, (sign) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt' }[sign]};`);
  const unicode = (signs: RegExp) =>
    json(secret).replace(signs, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [
    secret,
    json(secret),
    json(json(secret)),
    json(json(json(secret))),
    json(secret).replaceAll('/', '\\/'),
    unicode(/[<>&]/g),
    unicode(/[<>&=+'\u007f-\uffff]/g),
    ...urls,
    ...urls.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
    html,
    html.replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    html.replaceAll('"', '&quot;').replaceAll("'", '&#x27;'),
    html.replaceAll('"', '&#34;').replaceAll("'", '&#39;'),
    secret.replaceAll("'", "''"),
    secret.replaceAll("'", "'\\''"),
    secret.replace(/[^\w@%+=:,./-]/g, '\\$&'),
  ].filter((form) => form !== '');
}

/** Forms without the characters: base64 at any place with any padding, and hexadecimal. */
function encodedForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((offset) => {
    // The characters at the ends depend on the neighbours; those in between do not.
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const tail = (offset + bytes.length) % 3 === 0 ? 0 : 1;
    return text.slice([0, 2, 3][offset], text.length - tail);
  });
  const plain = bytes.toString('base64');
  const lines = Buffer.from(`${secret}\n`).toString('base64');
  const all = [plain, lines, ...base64];
  const twice = Buffer.from(plain).toString('base64').replace(/=+$/, '').slice(0, -1);
  const hex = bytes.toString('hex');
  const utf16 = Buffer.from(secret, 'utf16le').toString('base64').replace(/=+$/, '').slice(0, -1);
  const percents = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return [
    ...all,
    ...all.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
    ...all.filter((form) => /[+/=]/.test(form)).map(encodeURIComponent),
    ...all.map((form) => form.replaceAll('/', '\\/')),
    twice,
    utf16,
    hex,
    hex.toUpperCase(),
    percents,
    percents.toUpperCase(),
    hex.replace(/../g, '\\x$&'),
    hex.replace(/..(?!$)/g, '$&:'),
  ];
}

const percent = (sign: string): string =>
  `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
const encodeURIComponentSafely = (text: string): string => encodeURIComponent(text.toWellFormed());
const encodeURISafely = (text: string): string => encodeURI(text.toWellFormed());
