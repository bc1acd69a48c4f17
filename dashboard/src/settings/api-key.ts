import type { ApiKey } from '../../../server/api-keys/schema.ts'

export const scopes = [
  { value: 'contacts:read', label: 'Read contacts' },
  { value: 'contacts:write', label: 'Manage contacts' },
  { value: 'contacts:erase', label: 'Erase persons' },
  { value: 'agents:read', label: 'Read agents' },
  { value: 'agents:write', label: 'Manage agents' },
  { value: 'agents:force', label: 'Deploy without passed tests' },
  { value: 'conversations:read', label: 'Read conversations' },
  { value: 'conversations:write', label: 'Manage conversations' },
  { value: 'calls:read', label: 'Read calls' },
  { value: 'calls:write', label: 'Manage calls' },
  { value: 'campaigns:read', label: 'Read campaigns' },
  { value: 'campaigns:write', label: 'Manage campaigns' },
  { value: 'recordings:read', label: 'Listen to recordings' },
  { value: 'recordings:write', label: 'Delete recordings' },
  { value: 'providers:read', label: 'Read model providers' },
  { value: 'providers:write', label: 'Manage model providers' },
  { value: 'tools:read', label: 'Read tools' },
  { value: 'tools:write', label: 'Manage tools' },
  { value: 'documents:read', label: 'Read documents' },
  { value: 'documents:write', label: 'Manage documents' },
  { value: 'consents:read', label: 'Read consents' },
  { value: 'consents:write', label: 'Manage consents' },
  { value: 'channels:read', label: 'Read channels' },
  { value: 'events:read', label: 'Read events' },
  { value: 'webhooks:read', label: 'Read webhooks' },
  { value: 'webhooks:write', label: 'Manage webhooks' },
  { value: 'integrations:read', label: 'Read integrations' },
  { value: 'integrations:write', label: 'Manage integrations' },
  { value: 'overview:read', label: 'Read overview' },
  { value: 'analytics:read', label: 'Read analytics' },
  { value: 'test_clock:read', label: 'Read the test clock' },
  { value: 'test_clock:write', label: 'Advance the test clock' },
  { value: 'workspace:read', label: 'Read workspace settings' },
  { value: 'workspace:write', label: 'Manage workspace settings' },
  { value: 'audit:read', label: 'Read the audit log' },
  { value: 'api_keys:read', label: 'Read API keys' },
  { value: 'api_keys:write', label: 'Manage API keys' },
]

export type ApiKeyStatus = 'active' | 'expiring' | 'rotated' | 'expired' | 'revoked'

/** Returns the status of a key. `rotated`: another key of the same name has replaced it, and it still works. */
export function apiKeyStatus({ revoked_at, expires_at, rotated_at }: ApiKey): ApiKeyStatus {
  if (revoked_at) return 'revoked'
  if (!expires_at) return 'active'
  if (Date.parse(expires_at) <= Date.now()) return 'expired'
  return rotated_at ? 'rotated' : 'expiring'
}
