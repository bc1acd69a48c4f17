import type { Role } from '../../../server/people/schema.ts'

/** The roles, with what server/people/roles.ts allows them. */
export const roles: { value: Role; label: string; description: string }[] = [
  {
    value: 'viewer',
    label: 'Viewer',
    description: 'Can view contacts, imports, agents and events, but not change or export them.',
  },
  { value: 'member', label: 'Member', description: 'Can view, change, import and export contacts, and change agents.' },
  {
    value: 'owner',
    label: 'Owner',
    description:
      'Can do everything, including channels, tools, model providers, webhooks, integrations, API keys and members.',
  },
]

export const roleLabel = (role: Role): string => roles.find(({ value }) => value === role)?.label ?? role

/** "a viewer", "an owner". */
export const roleWithArticle = (role: Role): string => `${role === 'owner' ? 'an' : 'a'} ${role}`

export const roleDescription = (role: Role): string => roles.find(({ value }) => value === role)?.description ?? ''
