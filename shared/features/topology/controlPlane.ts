// Edges that the control plane of Kubernetes states: controllers in ownerReferences, and endpoints of
// services. Labels, annotations and specifications never count. Pure.

import { NAME } from '../../evidence/records/fieldList.ts';
import { listTreeItems, nodeAt, readTree, type TreeNode, textAt } from '../../evidence/records/tree.ts';
import type { FoundEdge } from '../../kits/topology/topology.ts';
import { resourceName } from '../../text/resource.ts';

const KIND = /^[A-Z][A-Za-z]{1,62}$/;

interface Place {
  cluster: string | null;
  namespace: string | null;
}

/** The edges of objects in JSON or YAML; none of a table. */
export function* edgesOfObjects(text: string, cluster: string | null): Generator<FoundEdge> {
  const root = readTree(text);
  if (root === undefined) return;
  const items = Array.isArray(root.value) ? root.value : listTreeItems(nodeAt(root, 'items'));
  const kind = textAt(root, 'kind')?.replace(/List$/, '');
  const isList = Array.isArray(root.value) || nodeAt(root, 'items') !== undefined;
  const lineAt = createLineCounter(text);
  for (const object of isList ? items : [root])
    for (const edge of edgesOfObject(object, textAt(object, 'kind') ?? kind, cluster))
      yield { ...edge, line: lineAt(object.start) };
}

function* edgesOfObject(
  object: TreeNode,
  kind: string | undefined,
  cluster: string | null,
): Generator<Omit<FoundEdge, 'line'>> {
  const name = textAt(object, 'metadata', 'name') ?? '';
  const namespace = textAt(object, 'metadata', 'namespace') ?? null;
  if (object.isCut || kind === undefined || (namespace !== null && !NAME.test(namespace))) return;
  const place = { cluster, namespace };
  const own = objectName(kind, name, place);
  const owners = listTreeItems(nodeAt(object, 'metadata', 'ownerReferences'));
  for (const owner of owners) {
    const to = objectName(textAt(owner, 'kind'), textAt(owner, 'name'), place);
    const isController = nodeAt(owner, 'controller')?.value === true;
    if (own !== undefined && to !== undefined && isController)
      yield { from: own, to, how: 'owned', by: 'stated' };
  }
  // The owner of a slice is the service; its label is free text.
  const slice = owners.find((owner) => textAt(owner, 'kind') === 'Service');
  const service = kind === 'Endpoints' ? name : kind === 'EndpointSlice' ? textAt(slice, 'name') : undefined;
  const from = objectName('Service', service, place);
  if (from === undefined) return;
  const addresses = listTreeItems(nodeAt(object, 'subsets')).flatMap((subset) =>
    listTreeItems(nodeAt(subset, 'addresses')),
  );
  for (const endpoint of [...addresses, ...listTreeItems(nodeAt(object, 'endpoints'))]) {
    const target = nodeAt(endpoint, 'targetRef');
    const to = objectName(textAt(target, 'kind'), textAt(target, 'name'), place);
    if (to !== undefined) yield { from, to, how: 'serves', by: 'stated' };
  }
}

function objectName(kind: string | undefined, name: string | undefined, place: Place): string | undefined {
  if (kind === undefined || name === undefined || !KIND.test(kind) || !NAME.test(name)) return undefined;
  const parts = [place.cluster, place.namespace, kind, name];
  return resourceName({ system: 'k8s', product: null, parts });
}

/** The numbers of lines at places that only grow. */
function createLineCounter(text: string): (at: number) => number {
  let [line, read] = [1, 0];
  return (at) => {
    for (; read < at; read++) if (text[read] === '\n') line++;
    return line;
  };
}
