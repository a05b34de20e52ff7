// Tokens that are known by a form in their middle or at their end, instead of by how they start.

/** A form without a head of letters. */
interface HeadlessFormat {
  /** The kind in the mark. */
  kind: string;
  /** The whole token. */
  pattern: RegExp;
  /** A string that every match contains; a text without it is not searched. */
  needle?: string;
}

/** Forms without a head of letters, as whole patterns. Azure's secrets have theirs in the middle. */
export const HEADLESS_FORMATS: readonly HeadlessFormat[] = [
  // Custom apps, private apps, theme access, refresh tokens, future ones: hexadecimal or alphanumeric.
  {
    kind: 'shopify-token',
    pattern: /(?<![A-Za-z0-9])shp[a-z]{1,5}_(?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{24,200}/g,
    needle: 'shp',
  },
  // Keys of Azure have a signature near their end: 84 characters (AZDO tokens) and those of AI services.
  {
    kind: 'azure-devops-token',
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])/g,
    needle: 'AZDO',
  },
  {
    kind: 'azure-key',
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{52}JQQJ9[A-Za-z0-9]{23,27}(?![A-Za-z0-9])/g,
    needle: 'JQQJ9',
  },
  {
    kind: 'azure-key',
    pattern: /(?<![\w-])[\w-]{44}AzFu[\w-]{5}[AQgw]==?/g,
    needle: 'AzFu',
  },
  { kind: 'azure-secret', pattern: /(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~-])/g, needle: 'Q~' },
  { kind: 'telegram-token', pattern: /(?<![\w:.-])\d{8,10}:AA[\w-]{33}(?![\w-])/g, needle: ':AA' },
  { kind: 'mailchimp-key', pattern: /(?<![\w])[0-9a-f]{32}-us\d{1,2}(?!\d)/g, needle: '-us' },
  { kind: 'discord-token', pattern: /(?<![\w.-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/g },
  {
    kind: 'terraform-token',
    pattern: /(?<![\w])[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,100}/g,
    needle: '.atlasv1.',
  },
  { kind: 'yubico-key', pattern: /(?<![A-Za-z0-9])cccc[cbdefghijklnrtuv]{40}(?![a-z])/g },
  {
    kind: 'google-client-secret',
    pattern: /(?<![\w-])\d{6,24}-[a-z0-9]{32}(?=\.apps\.googleusercontent\.com)/g,
    needle: '.apps.googleusercontent.com',
  },
  { kind: 'facebook-token', pattern: /(?<![\w|])\d{15,16}\|[\w-]{27,40}(?![\w-])/g, needle: '|' },
  { kind: 'datadog-url', pattern: /(?<=https:\/\/)[0-9a-f]{32}(?:[:@])/g, needle: 'https://' },
];
