// Text of others in places that read markup from it: clients of chat and mail turn addresses into links and
// `@` into mentions, also where the format of the message has no markup. Pure.

import { makeVisible } from '../../text/hiddenCharacters.ts';

/** Zero width: separates parts of addresses and mentions invisibly, so that clients do not find them. */
const GAP = '\u200b';
/**
 * The dot before a label that could be a top-level domain: clients link a name with one although no scheme
 * stands before it, and the list of domains grows. Endings of files and of hosts in a cluster are no domains,
 * so that these can be copied.
 */
const LINKED_DOMAIN =
  /(?<=[\p{L}\p{N}_-])[.\u3002\uff0e\uff61](?=\p{L}[\p{L}\p{N}-])(?!(?:ya?ml|json|xml|html|css|js|mjs|ts|tsx|go|java|log|txt|csv|conf|cfg|ini|toml|env|lock|tmpl|svc|cluster|local|internal)(?![\p{L}\p{N}-]))/giu;
/** A path of a share: Windows sends a login to its host. */
const SHARE = /\\(?=\\[\p{L}\p{N}])/gu;
const SCHEME = /(?<=\b[a-z][a-z0-9+.-]{1,20}:)(?=\/\/)/gi;
const SHORT_SCHEME = /\b(?:mailto|tel|sip|xmpp|data|javascript|callto|skype|msteams|slack|googlechat)(?=:)/gi;
const WWW = /\bwww(?=\.)/gi;
/** Mentions (`@channel`, `<@U1>`, `<users/all>`, `<at>`), references (`#12`, `GH-12`), mail addresses. */
const MENTION = /[@＠﹫#](?=[\p{L}\p{N}_<{[-])|<(?=[@!#/a-z])|\bGH(?=-\d)/giu;

/**
 * The text with hidden characters made visible, and a gap without a width inside everything that a client
 * would turn into a link, a mention or a reference. Text without these is returned unchanged.
 */
export function inertText(text: string): string {
  const found = makeVisible(text);
  return found
    .replace(SCHEME, GAP)
    .replace(SHORT_SCHEME, `$&${GAP}`)
    .replace(WWW, `$&${GAP}`)
    .replace(LINKED_DOMAIN, `$&${GAP}`)
    .replace(SHARE, `$&${GAP}`)
    .replace(MENTION, `$&${GAP}`);
}

/** HTML that shows `text` and has no elements of it. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Markdown of GitHub that shows `text`: every character that markdown can read is escaped. */
export function escapeMarkdown(text: string): string {
  return inertText(text).replace(/[\\`*_{}[\]()<>#+\-.!|~&:$^=]/g, '\\$&');
}

/** A block of code in markdown. Nothing in it is markup, and it can be copied as it is. */
export function fencedBlock(text: string): string {
  const visible = makeVisible(text);
  const longest = Math.max(2, ...[...visible.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${visible}\n${fence}`;
}
