// Reads a list of the API from its pages.

/** Pages that are read, and the elements of each. */
const MAX_PAGES = 5;
const PAGE_SIZE = 500;

/**
 * Reads at most 2,500 elements.
 * @param list the field of the answer that has them.
 * @param read reads a page.
 * @returns the last answer, with the elements of all; `next` is not null if there are more.
 */
export async function readPages<L extends string, P extends Record<L, unknown[]> & { next: string | null }>(
  list: L,
  read: (page: { after?: string | undefined; limit: number }) => Promise<P>,
): Promise<P> {
  const elements: unknown[] = [];
  let after: string | undefined;
  for (let page = 1; ; page++) {
    const answer = await read({ after, limit: PAGE_SIZE });
    elements.push(...answer[list]);
    if (answer.next == null || page === MAX_PAGES) return { ...answer, [list]: elements };
    after = answer.next;
  }
}
