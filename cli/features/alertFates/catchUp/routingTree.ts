// The routing tree of Alertmanager and Grafana. It gives a group the key that their webhooks send, by which
// its reports belong to one session. Follows `dispatch/route.go` and `pkg/labels/matcher.go` of Alertmanager
// 0.25.

import { compilePattern } from '../../../../shared/masking/userRules.ts';
import { asArray, asObject, asText } from '../../../../shared/text/json.ts';

type Labels = Readonly<Record<string, string>>;
type Operator = '=' | '!=' | '=~' | '!~';

interface Matcher {
  name: string;
  operator: Operator;
  value: string;
}

/** A route with all it inherits. */
export interface Route {
  /** The keys of the routes that lead to it, and its own. */
  key: string;
  receiver: string;
  /** The labels of a group; `...` stands for all. */
  groupBy: readonly string[];
  matchers: readonly Matcher[];
  /** Whether later siblings are tried after it matched. */
  continues: boolean;
  routes: readonly Route[];
}

/** The routing tree of a configuration: Alertmanager's `route`, Grafana's notification policies. */
export function readRoute(value: unknown, parent?: Route): Route {
  const given = asObject(value);
  const matchers = parseRouteMatchers(given);
  const own = `{${matchers.map(matcherText).join(',')}}`;
  const groupBy = asArray(given.group_by).flatMap((name) => asText(name) ?? []);
  const route: Route = {
    key: parent === undefined ? own : `${parent.key}/${own}`,
    receiver: asText(given.receiver) ?? parent?.receiver ?? '',
    groupBy: groupBy.length > 0 ? groupBy : (parent?.groupBy ?? []),
    matchers,
    continues: given.continue === true,
    routes: [],
  };
  return { ...route, routes: asArray(given.routes).map((child) => readRoute(child, route)) };
}

/**
 * The key of a group: of the route that sends alerts with these labels to the receiver, and groups them so.
 * @returns undefined if there is no such route.
 */
export function composeGroupKey(
  root: Route,
  { labels, groupLabels, receiver }: { labels: Labels; groupLabels: Labels; receiver: string },
): string | undefined {
  const found = findMatchingRoutes(root, labels).find(
    (route) => route.receiver === receiver && isSameLabels(selectGroupLabels(route, labels), groupLabels),
  );
  return found && `${found.key}:${labelText(groupLabels)}`;
}

function findMatchingRoutes(route: Route, labels: Labels): Route[] {
  if (!route.matchers.every((matcher) => matches(matcher, labels))) return [];
  const all: Route[] = [];
  for (const child of route.routes) {
    const found = findMatchingRoutes(child, labels);
    all.push(...found);
    if (found.length > 0 && !child.continues) break;
  }
  return all.length > 0 ? all : [route];
}

function selectGroupLabels({ groupBy }: Route, labels: Labels): Labels {
  if (groupBy.includes('...')) return labels;
  return Object.fromEntries(Object.entries(labels).filter(([name]) => groupBy.includes(name)));
}

const isSameLabels = (a: Labels, b: Labels): boolean => labelText(a) === labelText(b);

/** `{alertname="A", namespace="shop"}`, sorted by name, as Prometheus writes a set of labels. */
function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${pairs.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(', ')}}`;
}

/** The matchers of a route in all notations, in the order of Alertmanager. */
function parseRouteMatchers({
  match,
  match_re,
  matchers,
  object_matchers,
}: Record<string, unknown>): Matcher[] {
  const pairs = (value: unknown) =>
    Object.entries(asObject(value)).map(([name, text]): [string, string] => [name, String(text)]);
  const all: Matcher[] = [
    ...pairs(match).map(([name, value]) => ({ name, operator: '=' as const, value })),
    ...pairs(match_re).map(([name, value]) => ({ name, operator: '=~' as const, value: `^(?:${value})$` })),
    ...asArray(matchers).flatMap((text) => parseMatchers(String(text))),
    ...asArray(object_matchers).map((triple) => {
      const [name = '', operator = '=', value = ''] = asArray(triple).map(String);
      return { name, operator: operator as Operator, value };
    }),
  ];
  const rank = ({ name, value, operator }: Matcher) => [name, value, `${OPERATORS.indexOf(operator)}`];
  return all.sort((a, b) => (compareLists(rank(a), rank(b)) ? -1 : 1));
}

const OPERATORS: readonly Operator[] = ['=', '!=', '=~', '!~'];

function compareLists(a: readonly string[], b: readonly string[]): boolean {
  const index = a.findIndex((text, at) => text !== b[at]);
  return index !== -1 && (a[index] ?? '') < (b[index] ?? '');
}

const MATCHER = /\s*"?([a-zA-Z_:][\w:.-]*)"?\s*(=~|!~|!=|=)\s*(?:"((?:[^"\\]|\\.)*)"|([^",{}]*))\s*(?:,|$)/gy;

/** `severity="critical", team=~"a|b"`, also in braces. */
function parseMatchers(text: string): Matcher[] {
  const inner = text.trim().replace(/^\{|\}$/g, '');
  return [...inner.matchAll(MATCHER)].map(([, name = '', operator = '=', quoted, plain = '']) => ({
    name,
    operator: operator as Operator,
    value: quoted === undefined ? plain.trim() : unquote(quoted),
  }));
}

const unquote = (text: string): string =>
  text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));

function matcherText({ name, operator, value }: Matcher): string {
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return `${name}${operator}"${escaped}"`;
}

function matches({ name, operator, value }: Matcher, labels: Labels): boolean {
  const found = labels[name] ?? '';
  if (operator === '=' || operator === '!=') return (found === value) === (operator === '=');
  const compiled = compilePattern(`^(?:${value})$`);
  const isFound = compiled.ok && compiled.pattern.matcher(found).find();
  return isFound === (operator === '=~');
}
