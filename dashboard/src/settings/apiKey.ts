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
  { value: 'contacts:write', label: 'Change contacts' },
  { value: 'agents:read', label: 'Read agents' },
  { value: 'agents:write', label: 'Change agents' },
  { value: 'events:read', label: 'Read events of what it may read' },
  { value: 'webhooks:read', label: 'See webhooks' },
  { value: 'webhooks:write', label: 'Change webhooks' },
  { value: 'integrations:read', label: 'See integrations' },
  { value: 'integrations:write', label: 'Change integrations' },
  { value: 'overview:read', label: 'Read the overview' },
  { value: 'api_keys:read', label: 'See API keys' },
  { value: 'api_keys:write', label: 'Make and revoke API keys' },
]

export type KeyState = 'active' | 'expiring' | 'expired' | 'revoked'

export function stateOf({ revoked_at, expires_at }: ApiKey): KeyState {
  if (revoked_at) return 'revoked'
  if (!expires_at) return 'active'
  return Date.parse(expires_at) <= Date.now() ? 'expired' : 'expiring'
}
