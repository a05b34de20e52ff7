// Which addresses become links, on the page and in messages. Pure; the page imports it.

/** The address of a permitted link: HTTP or HTTPS without credentials; undefined for any other. */
export function safeUrl(text: string): URL | undefined {
  try {
    const url = new URL(text);
    const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
    return isWeb && url.username === '' && url.password === '' ? url : undefined;
  } catch {
    return undefined;
  }
}
