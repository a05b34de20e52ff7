// The places of nodes and lines in the picture: a line of text for each node, indented by its steps. Pure.

import type { SessionTopology } from '../../../../shared/lists/apiTypes.ts';

type Node = SessionTopology['nodes'][number];
type Edge = SessionTopology['edges'][number];

/** The width of the picture in its own units, which are pixels on a phone. */
export const WIDTH = 326;
const ROW = 40;
const INDENT = 26;
/** The height of a node's box. */
export const BOX = 30;
/** Lines beside the boxes, of edges that are no step of the indentation. */
const MOST_BESIDE = 5;

/** A node with its place. */
interface PlacedNode {
  node: Node;
  x: number;
  y: number;
  width: number;
}
/** A line with its path. */
interface PlacedEdge {
  edge: Edge;
  path: string;
}

/** The picture. */
interface Layout {
  nodes: PlacedNode[];
  edges: PlacedEdge[];
  height: number;
}

/** Places the nodes: dependents above the place, dependencies below, each under one that needs it. */
export function placeNodes({ nodes, edges }: Pick<SessionTopology, 'nodes' | 'edges'>): Layout {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const shown: Node[] = [];
  const parents = new Map<string, string>();
  const add = (node: Node) => {
    shown.push(node);
    for (const { from, to } of edges) {
      const next = byId.get(to);
      if (from !== node.id || next?.step !== node.step + 1 || parents.has(to)) continue;
      parents.set(to, from);
      add(next);
    }
  };
  const place = nodes.find(({ step }) => step === 0);
  shown.push(...nodes.filter(({ step }) => step < 0));
  if (place !== undefined) add(place);
  const base = Math.min(0, ...nodes.map(({ step }) => step));
  const beside = edges.filter((edge) => !isStep(edge, place?.id, parents)).slice(0, MOST_BESIDE);
  const right = WIDTH - 6 * (beside.length + 1);
  const placed = shown.map((node, row): PlacedNode => {
    const x = 4 + (node.step - base) * INDENT;
    return { node, x, y: 4 + row * ROW, width: right - x };
  });
  const at = new Map(placed.map((one) => [one.node.id, one]));
  const lines = edges.flatMap((edge): PlacedEdge[] => {
    const [from, to] = [at.get(edge.from), at.get(edge.to)];
    const lane = beside.indexOf(edge);
    if (from === undefined || to === undefined) return [];
    if (isStep(edge, place?.id, parents)) return [{ edge, path: stepPath(from, to) }];
    return lane < 0 ? [] : [{ edge, path: besidePath(from, to, right + 6 * (lane + 1)) }];
  });
  return { nodes: placed, edges: lines, height: 8 + shown.length * ROW };
}

const isStep = ({ from, to }: Edge, place: string | undefined, parents: ReadonlyMap<string, string>) =>
  to === place || parents.get(to) === from;

const middle = ({ y }: PlacedNode) => y + BOX / 2;

/** From below a box to the side of a box that is indented more; to the place along its left. */
function stepPath(from: PlacedNode, to: PlacedNode): string {
  const x = from.x + INDENT / 2;
  return `M${x} ${from.y + BOX} V${middle(to)} H${to.x}`;
}

function besidePath(from: PlacedNode, to: PlacedNode, lane: number): string {
  return `M${from.x + from.width} ${middle(from) + 5} H${lane} V${middle(to) - 5} H${to.x + to.width}`;
}
