import type { EventType } from '../events/catalog.ts'
import { WebhookSummary } from './schema.ts'

const scope = 'webhooks:read'

export const event_types = {
  disabled: {
    name: 'webhook.disabled',
    description: 'The service disabled a webhook: `disabled_reason` is `gone` or `failing`.',
    data: WebhookSummary,
    scope,
    is_rare: true,
  },
  test: {
    name: 'webhook.test',
    description: 'A test event, requested by "Test a webhook". It is sent to that webhook only.',
    data: WebhookSummary,
    scope,
    is_rare: true,
  },
} satisfies Record<string, EventType>
