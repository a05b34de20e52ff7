// What the waits for children are designed for: the moments of the table in docs/reliability.md.

/** The moments, as docs/reliability.md has them. */
export const TREE_ROWS = [
  'a message comes about an execution that waits',
  'the holder dies after its commit, and its message publishes the child',
  'two children end in the same moment',
  'who ended the child dies before it settles',
  'who settled dies, and calls of a later group are left',
  'who settled dies, and the next iteration is stored',
  'a child is ended while its holder is at work',
  'a cancellation meets the commit that creates the child',
  'the child ends after its parent',
  'a decision comes with the end of its time',
  'the holder of an approved call dies',
  'the child settles a commit whose answer was lost',
] as const;
/** A moment of the table. */
export type TreeRow = (typeof TREE_ROWS)[number];
