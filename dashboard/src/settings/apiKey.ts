export interface ApiKey {
  id: string
  name: string
  last_four: string
  scopes: string[] | null
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  created_at: string
}

export interface NewApiKey extends ApiKey {
  /** Only when it is made, and never again. */
  key: string
}

export const scopes = [
  { value: 'contacts:read', label: 'Read contacts' },
  { value: 'contacts:write', label: 'Manage contacts' },
  { value: 'agents:read', label: 'Read agents' },
  { value: 'agents:write', label: 'Manage agents' },
  { value: 'events:read', label: 'Read events' },
  { value: 'webhooks:read', label: 'Read webhooks' },
  { value: 'webhooks:write', label: 'Manage webhooks' },
  { value: 'integrations:read', label: 'Read integrations' },
  { value: 'integrations:write', label: 'Manage integrations' },
  { value: 'overview:read', label: 'Read overview' },
  { value: 'api_keys:read', label: 'Read API keys' },
  { value: 'api_keys:write', label: 'Manage API keys' },
]

export type KeyState = 'active' | 'expiring' | 'expired' | 'revoked'

export function stateOf({ revoked_at, expires_at }: ApiKey): KeyState {
  if (revoked_at) return 'revoked'
  if (!expires_at) return 'active'
  return Date.parse(expires_at) <= Date.now() ? 'expired' : 'expiring'
}
