// Two common forms of postmortems.

/** The forms that come with Inquest, by name. */
export const POSTMORTEM_FORMS = {
  incident: `# Postmortem: {{title}}

| | |
|---|---|
| Severity | {{severity}} |
| Started | {{started}} |
| Ended | {{ended}} |
| Duration | {{duration}} |
| Investigated in | {{sessions}} |

## Summary

{{summary}}

## Impact

{{impact}}

## Root cause

{{cause}}

### Evidence

{{findings}}

## Changes before

{{changes}}

## Resolution

{{resolution}}

## Actions and approvals

{{actions}}

## Timeline

{{timeline}}

## Open questions

{{questions}}

## Lessons

{{lessons}}

## Follow-ups

{{followups}}
`,
  short: `# {{title}}

{{summary}}

**Started** {{started}}, **ended** {{ended}}, **duration** {{duration}}. {{sessions}}

## Impact

{{impact}}

## Cause

{{cause}}

{{findings}}

## End

{{resolution}}

{{actions}}

## Not known

{{questions}}

## Follow-ups

{{followups}}

## Timeline

{{timeline}}
`,
} as const;
