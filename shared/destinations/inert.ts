// Makes text of others harmless in places whose markup cannot be switched off. Pure.

/** The text with entities for characters that Slack reads as control sequences, `<!channel>`. */
export function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
