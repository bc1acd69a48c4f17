import type { EventType } from '../events/catalog.ts'
import { WebhookSummary } from './schema.ts'

const scope = 'webhooks:read'

export const event_types = {
  disabled: {
    name: 'webhook.disabled',
    description: 'A webhook was disabled by the service: `disabled_reason` is `gone` or `failing`.',
    data: WebhookSummary,
    scope,
    is_rare: true,
  },
  test: {
    name: 'webhook.test',
    description: 'Asked for by "Test a webhook", and sent to that one only.',
    data: WebhookSummary,
    scope,
    is_rare: true,
  },
} satisfies Record<string, EventType>
