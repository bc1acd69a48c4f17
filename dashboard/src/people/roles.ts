import type { Role } from '../../../server/people/schema.ts'

/** As the server has them: see server/people/roles.ts. */
export const roles: { value: Role; label: string; about: string }[] = [
  {
    value: 'viewer',
    label: 'Viewer',
    about: 'Can view contacts, imports, agents and events, but not change or export them.',
  },
  { value: 'member', label: 'Member', about: 'Can view, change, import and export contacts, and create agents.' },
  {
    value: 'owner',
    label: 'Owner',
    about: 'Can do everything, including webhooks, integrations, API keys and members.',
  },
]

export const labelOf = (role: Role): string => roles.find(({ value }) => value === role)?.label ?? role

/** "a viewer", "an owner". */
export const withArticle = (role: Role): string => `${role === 'owner' ? 'an' : 'a'} ${role}`

export const aboutOf = (role: Role): string => roles.find(({ value }) => value === role)?.about ?? ''
