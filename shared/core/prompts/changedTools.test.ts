import { expect, it } from 'vitest';
import { changedToolsEvent, changedToolsNotice, changedToolText } from './changedTools.ts';

const changed = { name: 'k8s.logs', parts: ['description', 'rights'] };
const other = { name: 'k8s.top', parts: ['parameters'] };
const added = { name: 'k8s.exec', parts: ['new'] };
const gone = { name: 'k8s.events', parts: ['gone'] };

it.each([
  [
    changed,
    'The tool "k8s.logs" has changed (description, rights) since this investigation first listed it, so it is not offered in this investigation. Nothing was executed. Use another tool.',
  ],
  [
    added,
    'The tool "k8s.exec" was added after this investigation first listed the tools of its server, so it is not offered in this investigation. Nothing was executed. Use another tool.',
  ],
  [gone, 'The server of the tool "k8s.events" no longer lists it. Nothing was executed. Use another tool.'],
])('a call of a tool that is not as before says why it is not run: %j', (tool, text) => {
  expect(changedToolText(tool)).toBe(text);
});

it.each([
  [[], ''],
  [[added], ''],
  [
    [changed, added],
    'The tool "k8s.logs" has changed since this investigation started: it is missing from your list. Go on without.',
  ],
  [
    [changed, other],
    'The tools "k8s.logs", "k8s.top" have changed since this investigation started: they are missing from your list. Go on without.',
  ],
  [[gone], 'Servers no longer list these tools: "k8s.events". Go on without.'],
  [
    [gone, changed],
    'The tool "k8s.logs" has changed since this investigation started: it is missing from your list. Go on without. Servers no longer list these tools: "k8s.events". Go on without.',
  ],
])('agents are told which of their tools are gone: %j', (changes, text) => {
  expect(changedToolsNotice(changes)).toBe(text);
});

const START = 'The tools of the server "k8s" have changed since this investigation first listed them.';

it.each([
  [
    [changed, other],
    0,
    ' Changed, and no longer offered: k8s.logs (description, rights), k8s.top (parameters).',
  ],
  [[added], 0, ' New, and not offered: k8s.exec.'],
  [[gone], 0, ' No longer listed: k8s.events. Check the server, and the permissions of its credentials.'],
  [
    [gone, added, other],
    3,
    ' Changed, and no longer offered: k8s.top (parameters). New, and not offered: k8s.exec. No longer listed: k8s.events. Check the server, and the permissions of its credentials. 3 more are not named here; later ones will not be named either.',
  ],
])('the timeline names changed, new and lost tools apart: %j and %i more', (changes, more, text) => {
  expect(changedToolsEvent('k8s', changes, more)).toBe(`${START}${text}`);
});
