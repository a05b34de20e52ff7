// What the waits for children are designed for: the moments of the table in docs/reliability.md.

/** The moments, as docs/reliability.md has them. */
export const TREE_ROWS = [
  'a message about a waiting execution arrives',
  'the holder dies after its commit, before it publishes the child',
  'two children end at the same moment',
  'the process that ended the child dies before it settles the call',
  'the process that settled dies, and calls of a later group are left',
  'the process that settled dies, and the next iteration is stored',
  'a child is ended while its holder works',
  'a cancellation meets the commit that creates the child',
  'the child ends after its parent',
  'a decision and the end of its wait coincide',
  'the holder of an approved call dies',
  'the child settles a commit whose response was lost',
] as const;
/** A moment of the table. */
export type TreeRow = (typeof TREE_ROWS)[number];
