import type { ApiKey } from '../../../server/api-keys/schema.ts'

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

export type ApiKeyStatus = 'active' | 'expiring' | 'expired' | 'revoked'

export function apiKeyStatus({ revoked_at, expires_at }: ApiKey): ApiKeyStatus {
  if (revoked_at) return 'revoked'
  if (!expires_at) return 'active'
  return Date.parse(expires_at) <= Date.now() ? 'expired' : 'expiring'
}
