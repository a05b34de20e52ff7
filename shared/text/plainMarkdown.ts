// A text of others within Markdown.

/** A text on one line, with the markup of Markdown escaped. */
export function plainMarkdown(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_{}[\]<>#+!|~]/g, '\\$&');
}
