// Keys of providers: where one is not needed, which values of the environment are secret, and how texts lose them.

/** Environment variables by name. */
export type Environment = Record<string, string | undefined>;

/** Sent where a key is formally needed but not checked. */
export const PLACEHOLDER_KEY = 'no-key';

/** Names of variables whose values are secrets. */
const SECRET_NAME = /(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)(_ID)?$/i;
/** A shorter value is none, and taking it out would spoil the text. */
const MIN_SECRET_LENGTH = 8;

/** Values of `env` that must appear in no message. */
export function secretsOf(env: Environment): string[] {
  return Object.entries(env)
    .filter(([name]) => SECRET_NAME.test(name))
    .map(([, value]) => value ?? '')
    .filter((value) => value.length >= MIN_SECRET_LENGTH);
}

/** Removes API keys, tokens and the given secrets from a text. */
export function scrub(text: string, secrets: readonly string[] = []): string {
  return secrets
    .filter((secret) => secret !== '')
    .reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text)
    .replace(/\b(key|access_token|token)=[^&\s"'<>]+/gi, '$1=[key]')
    .replace(/AIza[0-9A-Za-z_-]{10,}/g, '[key]')
    .replace(/\bya29\.[0-9A-Za-z._-]+/g, '[token]')
    .replace(/\bBearer\s+[^\s"']+/gi, 'Bearer [token]');
}

/** Whether an address belongs to a domain: `googleapis.com` itself, or a host below it. */
export function isOfDomain(url: string, domain: string): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  return host === domain || host.endsWith(`.${domain}`);
}
